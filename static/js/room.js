import {watchStates} from "./states.js";
import {start as goLive} from "./live.js";
import {start as keepTime} from "./times.js";
import {start as listenToKeys} from "./keys.js";
import {start as listenToClicks} from "./clicks.js";
import {start as listenToSearch} from "./search.js";

watchStates();
keepTime();
listenToKeys();
listenToClicks();
listenToSearch();
goLive();
