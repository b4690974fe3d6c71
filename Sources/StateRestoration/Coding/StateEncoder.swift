import ExactText
import StateRecords

/// Takes the state of one object during a pass.
///
/// Each object has a coder of its own, so that equal keys in different objects never collide (P3).
/// Values go into their stored form at once. What cannot be saved is reported, the value saved last
/// under its key stays, and the rest goes on (P9). A coder is valid only inside the call that it was
/// handed to.
public final class StateEncoder {
    /// The reserved values of this pass (P4).
    public internal(set) var stamp: PassStamp

    /// A problem with one key; the pass goes on (P9).
    package struct Problem: Sendable, Equatable {
        package var key: String
        package var cause: StateEncodingError.Cause
        /// Whether the value saved last under the key stays.
        package var keepsEarlierValue: Bool

        package init(
            _ key: String, _ cause: StateEncodingError.Cause, keepsEarlierValue: Bool = false
        ) {
            self.key = key
            self.cause = cause
            self.keepsEarlierValue = keepsEarlierValue
        }
    }

    /// A value that was saved though it is large (P9).
    package struct Warning: Sendable, Equatable {
        package var key: String
        package var bytes: Int
    }

    let names: NameTable
    /// Gives the number under which an object is recorded (P8), in place of ``records``.
    package var reference: ((any StateRestoring) -> RecordNumber?)?
    /// Give the number under which an object is, or will be, recorded (P8), and what was saved under
    /// the key of a value that is refused (P9).
    var records: SceneRecords?
    var limits: ValueLimits
    // A coder's own storage is never used by two at once: no code of others runs on it, because the
    // writer is handed over whole while a value is written.
    @exclusivity(unchecked) private var target = StateValueWriter()
    @exclusivity(unchecked) private var keys = WrittenKeys()
    /// The storyboard that made the object, if one did (P4).
    @exclusivity(unchecked) public internal(set) var storyboardName: String?
    /// The values left out of the object begun last.
    @exclusivity(unchecked) package private(set) var problems: [Problem] = []
    /// The large values of the object begun last.
    @exclusivity(unchecked) package private(set) var warnings: [Warning] = []
    /// The keys of the object begun last whose values do not count as a change to the history.
    @exclusivity(unchecked) private var uncounted: [String] = []
    /// The large values of the object begun last, in their order.
    @exclusivity(unchecked) package private(set) var largeValues: [LargeValue] = []
    /// The objects in ``records`` that the object begun last refers to, in order.
    @exclusivity(unchecked) private(set) var references: [RestorationNode] = []
    /// The record of the object begun last.
    private var number = RecordNumber.none
    private var start = 0
    /// Where the record begun last begins; ``start``, if only values were begun.
    private var recordStart = 0
    /// Where the key written last begins, and its value.
    private var keyStart = 0
    private var valueStart = 0
    /// The most bytes that a key and its value take of which nothing is noted.
    private var mostUnnoted: Int {
        min(limits.warning, limits.maximum, OutOfLineValue.largestInRecord)
    }
    /// The classes whose unlisted properties were reported in this pass.
    private var reportedClasses: Set<ObjectIdentifier> = []

    package init(names: NameTable, stamp: PassStamp, limits: ValueLimits = ValueLimits()) {
        self.names = names
        self.stamp = stamp
        self.limits = limits
    }

    /// Everything that was written in this pass; an object's values are a range of it.
    package var bytes: [UInt8] { target.writer.bytes }

    /// Hands over everything that was written: the pass is over.
    func takeBytes() -> [UInt8] {
        reportedClasses = []
        references = []
        return target.writer.takeBytes()
    }

    /// How many keys the object begun last has written.
    var keyCount: Int { keys.count }

    /// Begins the record of one object, with its header.
    func beginRecord(_ header: ObjectHeader, storyboardName: String? = nil) {
        let start = target.writer.count
        target.writer.write(header)
        begin(RecordNumber(header.number), storyboardName: storyboardName)
        recordStart = start
    }

    /// Ends the record begun last, with that header. Large values get records of their own behind it.
    ///
    /// - Parameter spans: gets the places of the record, and of those, in ``bytes``.
    func endRecord(_ header: ObjectHeader, into spans: inout [RecordList.Span]) {
        if largeValues.isEmpty {
            let count = target.writer.count - recordStart
            spans.append(
                RecordList.Span(type: .object, buffer: 0, start: recordStart, count: count))
            return
        }
        let values = SavedValues(bytes[end()], large: largeValues)
        var records = RecordList()
        records.append(
            ObjectRecord(
                header: header, values: values.together,
                outOfLine: zip(largeValues, values.outOfLine).map {
                    OutOfLineValue(key: $0.key, bytes: $1)
                }))
        cancel()
        for span in records.spans {
            spans.append(
                RecordList.Span(
                    type: span.type, buffer: 0, start: target.writer.count, count: span.count))
            target.writer.writeRaw(records.payload(of: span))
        }
    }

    /// Begins the values of one object, whose record has this number.
    package func begin(_ number: RecordNumber = .none, storyboardName: String? = nil) {
        self.number = number
        self.storyboardName = storyboardName
        start = target.writer.count
        recordStart = start
        keys.begin()
        if !references.isEmpty { references = [] }
        if !problems.isEmpty { problems = [] }
        if !warnings.isEmpty { warnings = [] }
        if !largeValues.isEmpty { largeValues = [] }
        if !uncounted.isEmpty { uncounted = [] }
    }

    /// Makes room for so many bytes of all objects.
    func reserveCapacity(_ count: Int) {
        target.writer.reserveCapacity(count)
    }

    /// Gives the values of the object begun last as they were written.
    func withValues<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        target.writer.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Takes over values that were encoded before.
    func append(_ values: EncodedValues) {
        let offset = target.writer.count
        largeValues += values.largeValues.map {
            LargeValue(
                key: $0.key, range: $0.range.lowerBound + offset..<$0.range.upperBound + offset)
        }
        target.writer.writeRaw(values.bytes)
    }

    /// Ends the values of the object begun last, and tells where they stand.
    package func end() -> Range<Int> { start..<target.writer.count }

    /// Everything is encoded: stores the keys that do not count, if there are some.
    func endKeys() {
        if uncounted.isEmpty { return }
        encodeReserved(uncounted, forKey: Self.uncountedKey)
        uncounted = []
    }

    /// Takes back the record of the object begun last, or its values if these are all.
    func cancel() {
        target.truncate(to: recordStart)
        largeValues = []
    }

    /// Stores a value under a key.
    ///
    /// A key is written once for each object, and does not begin with `@`; a value has at most
    /// 16 MiB, unless configured otherwise, and is nested at most 64 deep. What breaks this is
    /// reported as a ``StateEncodingError``, and the value saved last under the key stays (P9).
    @inlinable
    public func encode(_ value: some StateValue, forKey key: StaticString) {
        guard var target = beginValue(key) else { return }
        value.write(to: &target)
        endValue(target, key)
    }

    /// Stores a value under a key, or nothing if it is nil: a missing key decodes as nil (R14).
    @inlinable
    public func encode(_ value: (some StateValue)?, forKey key: StaticString) {
        if let value { encode(value, forKey: key) }
    }

    /// Says that a value is no change to the history: of two states that differ by it alone no
    /// second copy is kept under `history/`. For what every launch changes by itself, such as a
    /// counter of launches; it is saved and restored as any other.
    ///
    /// - Parameter key: the key of the value, stored before or after.
    public func excludeFromHistory(forKey key: StaticString) {
        uncounted.append(key.description)
    }

    /// The name under which the keys are kept of which ``excludeFromHistory(forKey:)`` was told.
    static let uncountedKey: StaticString = "@uncounted"

    /// Stores one of the library's own values.
    func encodeReserved(_ value: some StateValue, forKey key: StaticString) {
        guard var target = beginReservedValue(key) else { return }
        value.write(to: &target)
        endValue(target, key)
    }

    /// Writes one value under a key, and takes it back if it breaks P9.
    func store(_ key: StaticString, _ write: (inout StateValueWriter) -> Void) {
        guard var target = beginValue(key) else { return }
        write(&target)
        endValue(target, key)
    }

    /// Writes a key, and hands the writer over for its value, until ``endValue(_:_:)``.
    ///
    /// - Returns: nil if the key cannot be written, which is reported.
    @usableFromInline
    func beginValue(_ key: StaticString) -> StateValueWriter? {
        guard !Self.isReserved(key) else {
            report(.reservedKey, key)
            return nil
        }
        return beginReservedValue(key)
    }

    /// Whether a key belongs to the library: it begins with `@`.
    private static func isReserved(_ key: StaticString) -> Bool {
        guard key.hasPointerRepresentation else { return key.unicodeScalar == "@" }
        return key.utf8CodeUnitCount > 0 && key.utf8Start.pointee == UInt8(ascii: "@")
    }

    /// Writes a key that may be one of the library's own.
    func beginReservedValue(_ key: StaticString) -> StateValueWriter? {
        guard let number = keys.repeatNext(key) ?? insert(key) else { return nil }
        var writer = StateValueWriter()
        swap(&writer, &target)
        keyStart = writer.writer.count
        writer.writer.writeVarint(UInt64(number))
        valueStart = writer.writer.count
        return writer
    }

    /// The number of a key that this object has not written yet.
    private func insert(_ key: StaticString) -> UInt32? {
        let number = names.number(for: key)
        if keys.insert(number, key) { return number }
        report(.keyWrittenTwice, key)
        return nil
    }

    /// Takes the writer back with the value in it, which is taken back if it breaks P9.
    @usableFromInline
    func endValue(_ writer: consuming StateValueWriter, _ key: StaticString) {
        let count = writer.writer.count - keyStart
        let isTooDeep = writer.isTooDeep
        target = writer
        if count > mostUnnoted || isTooDeep { check(key, isTooDeep: isTooDeep) }
    }

    private func check(_ key: StaticString, isTooDeep: Bool) {
        let count = target.writer.count - valueStart
        guard !isTooDeep, count <= limits.maximum else {
            target.truncate(to: keyStart)
            keys.removeLast()
            return refuse(
                isTooDeep ? .nestedTooDeep : .tooLarge(bytes: count, limit: limits.maximum), key)
        }
        if count > limits.warning {
            warnings.append(Warning(key: key.description, bytes: count))
        }
        noteOutOfLine(key)
    }

    /// The value written last is kept out of line if it is large.
    private func noteOutOfLine(_ key: StaticString) {
        let range = keyStart..<target.writer.count
        if range.count > OutOfLineValue.largestInRecord {
            largeValues.append(LargeValue(key: names.number(for: key), range: range))
        }
    }

    /// Reports a value that cannot be saved. The one that was saved last under its key stays, and
    /// stands where the new one would, so that nothing is written if nothing else changed (P9).
    ///
    /// A reference in it keeps no object: if nothing else does, it decodes as nil.
    func refuse(_ cause: StateEncodingError.Cause, _ key: StaticString) {
        guard let earlier = records?.savedValue(of: key, in: number), var target = beginValue(key)
        else {
            return report(cause, key)
        }
        target.writer.writeRaw(earlier)
        self.target = target
        noteOutOfLine(key)
        problems.append(Problem(key.description, cause, keepsEarlierValue: true))
    }

    /// Notes that something is left out.
    func report(_ cause: StateEncodingError.Cause, _ key: StaticString) {
        problems.append(Problem(key.description, cause))
    }

    /// Notes what a class does not list, once in a pass.
    func report(_ unlisted: [Problem], of type: ObjectIdentifier) {
        if reportedClasses.insert(type).inserted { problems += unlisted }
    }

    /// Stores a reference to an object, which is thereby preserved too (P5, P8). One without an
    /// identifier cannot be: it is reported, and decodes as nil.
    public func encode(_ object: (any StateRestoring)?, forKey key: StaticString) {
        guard let object, let number = number(of: object, key) else { return }
        store(key) { $0.writer.writeReference(number) }
    }

    /// Stores a reference to an object, also if its class is `Codable`.
    public func encode(_ object: some StateRestoring & Encodable, forKey key: StaticString) {
        encode(object as any StateRestoring, forKey: key)
    }

    /// Stores references in order (P8). Those without identifier are reported, and decode as nil.
    public func encode(_ objects: [any StateRestoring], forKey key: StaticString) {
        let numbers = objects.compactMap { number(of: $0, key) }
        store(key) { target in
            target.writer.write(.array)
            target.writer.writeVarint(UInt64(numbers.count))
            for number in numbers { target.writer.writeReference(number) }
        }
    }

    /// Stores references by name (P8). Those that have no identifier are reported, and decode as
    /// nil.
    public func encode(_ objects: [String: any StateRestoring], forKey key: StaticString) {
        let numbers = objects.sorted { $0.key < $1.key }
            .compactMap { name, object in number(of: object, key).map { (name, $0) } }
        store(key) { target in
            target.writer.write(.dictionary)
            target.writer.writeVarint(UInt64(numbers.count))
            for (name, number) in numbers {
                target.writer.writeText(name)
                target.writer.writeReference(number)
            }
        }
    }

    /// The number to store for an object; nil if there is none.
    private func number(of object: any StateRestoring, _ key: StaticString) -> RecordNumber? {
        var number = reference?(object)
        if reference == nil, let records {
            number = records.number(of: object)
            references.append(object.restoration)
        }
        if number == nil || object.restoration.identifier == nil {
            let isReported = problems.last?.key == key.description
            if !isReported { report(.referenceWithoutIdentifier, key) }
        }
        return number
    }
}

/// A value of an object that is so large that it gets a record of its own.
package struct LargeValue {
    /// The key, by the number of its name.
    package var key: UInt32
    /// Where the key and the value stand in ``StateEncoder/bytes``.
    package var range: Range<Int>
}

/// The values of one object as an encoder wrote them, and nothing else.
struct EncodedValues {
    var bytes: [UInt8] = []
    /// The large ones among them, in their order.
    var largeValues: [LargeValue] = []

    /// No values.
    init() {}

    /// The values of the only object that an encoder was given.
    init(_ encoder: StateEncoder) {
        bytes = Array(encoder.bytes[encoder.end()])
        largeValues = encoder.largeValues
    }
}
