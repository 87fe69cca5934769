import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Algorithm S2 of "How to Avoid Reidentification with Proper Anonymization" (generalization-based
 * k-anonymity), written from its pseudocode and Equations 2 to 5.
 *
 * <p>It is the yardstick the benchmark holds shoal against, standing in for the authors' own program:
 * one thread, one object per record, the collections of the standard library, and the same inputs,
 * outputs and printed measures. It is meant to be what a competent programmer writes at the first
 * attempt: every distance is computed once, reading and writing are buffered, nothing is slow on
 * purpose, and nothing is tuned.
 *
 * <p>Usage: {@code java SortedClusters INPUT OUTPUT K}. INPUT is comma-delimited text with a header; the
 * last attribute is confidential, the others are integer quasi-identifiers.
 */
public final class SortedClusters {

    /** Charges above this amount are the confidential range whose disclosure is measured. */
    private static final int HIGH_CHARGE = 100_000;

    /** A published cell: the values of one attribute over one cluster. */
    private record Range(int min, int max) {
        /** Distance from a value to the limit farthest from it (Eq. 4). */
        int farthestDistance(int value) {
            return max - value > value - min ? max - value : value - min;
        }
    }

    /** One line of the input and, once its cluster is known, what is published instead. */
    private static final class Person {
        final int[] values;
        final int confidential;
        double distanceToZero;
        List<Range> ranges;

        Person(int[] values, int confidential) {
            this.values = values;
            this.confidential = confidential;
        }
    }

    /** What an attacker sees of the records that share one combination of ranges. */
    private static final class EquivalenceClass {
        int size;
        int high;
    }

    private String header;
    private final List<Person> people = new ArrayList<>();
    private double[] deviations;

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("usage: java SortedClusters INPUT OUTPUT K");
            System.exit(2);
        }
        int k = Integer.parseInt(arguments[2]);
        SortedClusters program = new SortedClusters();
        program.read(Path.of(arguments[0]));
        if (k < 2 || program.people.size() < k) {
            System.err.println("K must be at least 2 and at most the number of records");
            System.exit(2);
        }
        program.anonymize(k);
        program.write(Path.of(arguments[1]));
        program.printMeasures();
    }

    private void read(Path input) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(input, StandardCharsets.UTF_8)) {
            header = reader.readLine();
            String line;
            while ((line = reader.readLine()) != null) {
                String[] cells = line.split(",");
                int[] values = new int[cells.length - 1];
                for (int a = 0; a < values.length; a++) {
                    values[a] = Integer.parseInt(cells[a]);
                }
                people.add(new Person(values, Integer.parseInt(cells[values.length])));
            }
        }
    }

    /** Lines 1 to 13 of the algorithm. The list of people itself stays in the order of the input. */
    private void anonymize(int k) {
        deviations = standardDeviations();
        for (Person person : people) {
            person.distanceToZero = distanceToZero(person.values);
        }
        List<Person> sorted = new ArrayList<>(people);
        sorted.sort(Comparator.comparingDouble(person -> person.distanceToZero));
        int start = 0;
        while (sorted.size() - start >= 2 * k) {
            generalize(sorted.subList(start, start + k));
            start += k;
        }
        generalize(sorted.subList(start, sorted.size()));
    }

    /** Sample standard deviation (divisor n - 1) of every quasi-identifier. */
    private double[] standardDeviations() {
        int n = people.size();
        int m = people.get(0).values.length;
        double[] result = new double[m];
        for (int a = 0; a < m; a++) {
            // Whole numbers add up exactly, so that the order of the records cannot change the last digit.
            long sum = 0;
            long squares = 0;
            for (Person person : people) {
                sum += person.values[a];
                squares += (long) person.values[a] * person.values[a];
            }
            BigInteger spread = BigInteger.valueOf(n).multiply(BigInteger.valueOf(squares))
                    .subtract(BigInteger.valueOf(sum).pow(2));
            BigInteger share = BigInteger.valueOf(n).multiply(BigInteger.valueOf(n - 1));
            result[a] = Math.sqrt(new BigDecimal(spread).divide(new BigDecimal(share), MathContext.DECIMAL128).doubleValue());
        }
        return result;
    }

    /** Eq. 2 against the all-zero record; an attribute that never varies has no say in it. */
    private double distanceToZero(int[] values) {
        double sum = 0;
        for (int a = 0; a < values.length; a++) {
            if (deviations[a] > 0) {
                double standardized = values[a] / deviations[a];
                sum += standardized * standardized;
            }
        }
        return Math.sqrt(sum);
    }

    /** Replaces every attribute of a cluster by its range (lines 9 to 12). */
    private static void generalize(List<Person> cluster) {
        int m = cluster.get(0).values.length;
        List<Range> ranges = new ArrayList<>(m);
        for (int a = 0; a < m; a++) {
            int min = Integer.MAX_VALUE;
            int max = Integer.MIN_VALUE;
            for (Person person : cluster) {
                min = Math.min(min, person.values[a]);
                max = Math.max(max, person.values[a]);
            }
            ranges.add(new Range(min, max));
        }
        for (Person person : cluster) {
            person.ranges = ranges;
        }
    }

    private void write(Path output) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(output, StandardCharsets.UTF_8)) {
            writer.write(header);
            writer.write('\n');
            StringBuilder line = new StringBuilder();
            for (Person person : people) {
                line.setLength(0);
                for (Range range : person.ranges) {
                    line.append('[').append(range.min()).append(';').append(range.max()).append("],");
                }
                line.append(person.confidential).append('\n');
                writer.append(line);
            }
        }
    }

    private void printMeasures() {
        Map<List<Range>, EquivalenceClass> classes = new HashMap<>();
        int high = 0;
        for (Person person : people) {
            EquivalenceClass seen = classes.computeIfAbsent(person.ranges, ranges -> new EquivalenceClass());
            seen.size++;
            if (person.confidential > HIGH_CHARGE) {
                seen.high++;
                high++;
            }
        }
        int unique = 0;
        int disclosed = 0;
        for (EquivalenceClass seen : classes.values()) {
            if (seen.size == 1) {
                unique++;
            }
            if (seen.high == seen.size) {
                disclosed += seen.size;
            }
        }
        System.out.printf(Locale.ROOT, "records: %d%n", people.size());
        System.out.printf(Locale.ROOT, "information loss: %.6f%n", informationLoss());
        System.out.printf(Locale.ROOT, "unique records: %d%n", unique);
        System.out.printf(Locale.ROOT, "attribute disclosure records: %d%n", disclosed);
        System.out.printf(Locale.ROOT, "attribute disclosure risk: %.6f%n",
                high == 0 ? 0.0 : (double) disclosed / high);
    }

    /** Eq. 3 with the worst-case reading of a range (Eq. 4). */
    private double informationLoss() {
        int m = deviations.length;
        double total = 0;
        for (Person person : people) {
            double sum = 0;
            for (int a = 0; a < m; a++) {
                if (deviations[a] > 0) {
                    double lost = person.ranges.get(a).farthestDistance(person.values[a]) / deviations[a];
                    sum += lost * lost;
                }
            }
            total += Math.sqrt(sum);
        }
        return total / ((double) people.size() * m);
    }
}
