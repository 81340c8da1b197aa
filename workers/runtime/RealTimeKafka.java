package drover;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;
import org.apache.spark.sql.kafka010.KafkaSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Spark's own Kafka source, of which the spans of a real-time query can be ended before their time (see real_time.py).
 * Compiled by Janino, which knows no type parameters and no lambdas.
 */
public final class RealTimeKafka implements TableProvider {

    private final TableProvider kafka = new KafkaSourceProvider();

    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return kafka.inferSchema(options);
    }

    public Table getTable(StructType schema, Transform[] partitioning, Map properties) {
        return (Table) around(kafka.getTable(schema, partitioning, properties));
    }

    /** The span that a query is in, at once; and so any later one. */
    public static void end(String query) {
        Span.of(query).last = true;
    }

    /** How many records a query has read. */
    public static long rows(String query) {
        return Span.of(query).rows.sum();
    }

    /** A query that is over. */
    public static void forget(String query) {
        Span.QUERIES.remove(query);
    }

    /** Does what it does, and so does all that it makes; but readers are made here. */
    private static Object around(final Object spark) {
        ClassLoader loader = RealTimeKafka.class.getClassLoader();
        return Proxy.newProxyInstance(loader, spark.getClass().getInterfaces(), new InvocationHandler() {
            public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
                if (method.getName().equals("equals")) {
                    return Boolean.valueOf(proxy == arguments[0]);
                }
                Object made;
                try {
                    made = method.invoke(spark, arguments);
                } catch (InvocationTargetException failed) {
                    throw asToldHere(failed.getCause());
                }
                if (made instanceof ScanBuilder || made instanceof Scan || made instanceof MicroBatchStream) {
                    return around(made);
                }
                return made instanceof PartitionReaderFactory ? new Readers((PartitionReaderFactory) made) : made;
            }
        });
    }

    /** A proxy cannot throw the one exception by which Spark knows that it was stopped; it knows this one as well. */
    private static Throwable asToldHere(Throwable failure) {
        boolean stopped = failure instanceof InterruptedException;
        return stopped ? new UncheckedIOException(new InterruptedIOException(failure.getMessage())) : failure;
    }

    public static final class Readers implements PartitionReaderFactory {

        private final PartitionReaderFactory kafka;

        Readers(PartitionReaderFactory kafka) {
            this.kafka = kafka;
        }

        public PartitionReader createReader(InputPartition partition) {
            TaskContext task = TaskContext.get();
            Span span = Span.of(task.getLocalProperty("sql.streaming.queryId"));
            span.begin(Long.parseLong(task.getLocalProperty("streaming.sql.batchId")));
            return new Reader((SupportsRealTimeRead) kafka.createReader(partition), span);
        }
    }

    /** One partition. Where Kafka's own would wait until the planned end, this one looks up now and then. */
    public static final class Reader implements SupportsRealTimeRead {

        private static final long LOOK_MS = 100;

        private final SupportsRealTimeRead kafka;
        private final Span span;

        Reader(SupportsRealTimeRead kafka, Span span) {
            this.kafka = kafka;
            this.span = span;
        }

        public SupportsRealTimeRead.RecordStatus nextWithTimeout(Long now, Long timeout) throws IOException {
            for (long left = timeout.longValue(); left > 0 && !span.isOver(); left -= LOOK_MS) {
                SupportsRealTimeRead.RecordStatus found = kafka.nextWithTimeout(now, Long.valueOf(Math.min(left, LOOK_MS)));
                if (found.hasRecord()) {
                    span.read();
                    return found;
                }
            }
            return SupportsRealTimeRead.RecordStatus.newStatusWithoutArrivalTime(false);
        }

        public PartitionOffset getOffset() {
            return kafka.getOffset();
        }

        public boolean next() throws IOException {
            return kafka.next();
        }

        public Object get() {
            return kafka.get();
        }

        public CustomTaskMetric[] currentMetricsValues() {
            return kafka.currentMetricsValues();
        }

        public void initMetricsValues(CustomTaskMetric[] metrics) {
            kafka.initMetricsValues(metrics);
        }

        public void close() throws IOException {
            kafka.close();
        }
    }

    /** The span that a query is in: its readers end it together, or one of them would not be read from until the others end. */
    static final class Span {

        private static final long LEAST_NS = 2500000000L;
        private static final long REST_NS = 1000000000L;
        private static final Map QUERIES = new ConcurrentHashMap();

        private final LongAdder rows = new LongAdder();
        private volatile boolean last;
        private volatile boolean over;
        private volatile long newest;
        private volatile long begun;
        /** Whether this span has read something; and the one before. */
        private volatile boolean busy;
        private volatile boolean afterBusy;
        private long batch = -1;

        static Span of(String query) {
            QUERIES.putIfAbsent(query, new Span());
            return (Span) QUERIES.get(query);
        }

        synchronized void begin(long number) {
            if (number != batch) {
                batch = number;
                begun = newest = System.nanoTime();
                over = false;
                afterBusy = busy;
                busy = false;
            }
        }

        void read() {
            rows.increment();
            busy = true;
            newest = System.nanoTime();
        }

        /** Also at rest, when nobody waits while the next one is planned; and the one after it, in which nothing was read. */
        boolean isOver() {
            if (!last && !over && (busy || afterBusy)) {
                long now = System.nanoTime();
                over = now - begun > LEAST_NS && now - newest > REST_NS;
            }
            return last || over;
        }
    }
}
