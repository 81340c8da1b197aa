package drover;

import java.util.Map;

import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;

/**
 * Gives a record the timestamp that its last header says (see timestamps.py), and takes that header away.
 * Compiled by Janino, which knows no type parameters.
 */
public final class RecordTimestamp implements ProducerInterceptor {

    private static final String HEADER = "drover.timestamp";

    public ProducerRecord onSend(ProducerRecord record) {
        Header header = record.headers().lastHeader(HEADER);
        if (header == null) {
            return record;
        }
        Long timestamp = Long.valueOf(new String(header.value()));
        record.headers().remove(HEADER);
        return new ProducerRecord(
            record.topic(), record.partition(), timestamp, record.key(), record.value(), record.headers());
    }

    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
    }

    public void close() {
    }

    public void configure(Map configs) {
    }
}
