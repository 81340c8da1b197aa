module drover/tests/clients

go 1.19

require (
	github.com/alecthomas/template v0.0.0-20190718012654-fb15b899a751 // indirect
	github.com/alecthomas/units v0.0.0-20240927000941-0f3dac36c52b // indirect
	github.com/go-kafka/connect v0.9.0 // indirect
	gopkg.in/alecthomas/kingpin.v2 v2.2.6 // indirect
)
