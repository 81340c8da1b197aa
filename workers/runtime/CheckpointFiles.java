package drover;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager;

/**
 * A local checkpoint folder, written without Hadoop's local file system, which starts a process for each file to set its
 * permissions (see query.py). Compiled by Janino.
 */
public final class CheckpointFiles extends FileSystemBasedCheckpointFileManager {

    public CheckpointFiles(Path path, Configuration configuration) {
        super(path, configuration);
    }

    public CheckpointFileManager.CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
        if (!isLocal()) {
            return super.createAtomic(path, overwrite);
        }
        try {
            File file = new File(path.toUri().getPath());
            if (!overwrite && file.exists()) {
                throw new FileAlreadyExistsException(file.toString());
            }
            return new Written(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public void mkdirs(Path path) {
        if (isLocal()) {
            new File(path.toUri().getPath()).mkdirs();
        } else {
            super.mkdirs(path);
        }
    }

    /** There under its name once it is whole. */
    public static final class Written extends CheckpointFileManager.CancellableFSDataOutputStream {

        private final File file;
        private final File part;
        private boolean closed;

        Written(File file) throws IOException {
            super(new FileOutputStream(partOf(file)));
            this.file = file;
            this.part = partOf(file);
        }

        private static File partOf(File file) {
            return new File(file.getParentFile(), "." + file.getName() + ".tmp");
        }

        public synchronized void close() throws IOException {
            if (!closed) {
                closed = true;
                super.close();
                Files.move(part.toPath(), file.toPath(), new StandardCopyOption[] {StandardCopyOption.ATOMIC_MOVE});
            }
        }

        public synchronized void cancel() {
            if (!closed) {
                closed = true;
                try {
                    super.close();
                } catch (IOException ignored) {
                    // It is thrown away.
                }
                part.delete();
            }
        }
    }
}
