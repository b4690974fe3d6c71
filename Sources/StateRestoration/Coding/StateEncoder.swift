import ExactText
import StateRecords

/// An encoder for the state of one object during a pass.
///
/// Each object has its own namespace of keys, so equal keys in different objects never collide (P3). Values are encoded
/// immediately. If a value cannot be saved, the error is reported, the previously saved value is kept, and the pass
/// continues (P9). An encoder is valid only during the call to which it is passed.
public final class StateEncoder {
    /// Reserved values for this pass (P4).
    public internal(set) var passMetadata: PassMetadata

    /// A problem with one key. It does not stop the pass (P9).
    package struct Problem: Sendable, Equatable {
        package var key: String
        package var cause: StateEncodingError.Cause
        /// Whether the previously saved value is kept.
        package var keepsPreviousValue: Bool

        package init(
            _ key: String, _ cause: StateEncodingError.Cause, keepsPreviousValue: Bool = false
        ) {
            self.key = key
            self.cause = cause
            self.keepsPreviousValue = keepsPreviousValue
        }
    }

    /// A warning about a value that was saved despite its size (P9).
    package struct Warning: Sendable, Equatable {
        package var key: String
        /// Size of the value in bytes.
        package var byteCount: Int
    }

    let names: NameTable
    /// Closure that returns the record number of an object (P8), or `nil` if ``records`` provides the numbers.
    package var recordNumberOfObject: ((any StateRestoring) -> RecordNumber?)?
    /// Records of the scene, or `nil` if the encoder does not belong to a scene.
    ///
    /// The records provide the record numbers of objects, including objects that have no record yet (P8). They also
    /// provide the previously saved value if a new value is refused (P9).
    var records: SceneRecords?
    /// Limits on the size of a single value (P9).
    var limits: ValueLimits
    // Accesses to the encoder's storage never overlap. No code outside the library accesses the storage,
    // because the whole writer is lent out while a value is written.
    @exclusivity(unchecked) private var valueWriter = StateValueWriter()
    /// Keys of the values that have been written for the current object.
    @exclusivity(unchecked) private var writtenKeys = WrittenKeys()
    /// Name of the storyboard that created the object (P4), or `nil` if no storyboard created it.
    @exclusivity(unchecked) public internal(set) var storyboardName: String?
    /// Problems with the current object's values.
    @exclusivity(unchecked) package private(set) var problems: [Problem] = []
    /// Warnings about the current object's values that exceed the warning size.
    @exclusivity(unchecked) package private(set) var warnings: [Warning] = []
    /// Keys of the current object's values that are excluded from the history.
    @exclusivity(unchecked) private var keysExcludedFromHistory: [String] = []
    /// The current object's values that need separate records, in the order in which they were encoded.
    @exclusivity(unchecked) package private(set) var largeValues: [LargeValue] = []
    /// Nodes of the objects to which the current object refers, in the order in which the references were encoded.
    ///
    /// The nodes are collected only if ``records`` provides the record numbers.
    @exclusivity(unchecked) private(set) var references: [RestorationNode] = []
    /// Record number of the current object.
    private var currentRecordNumber = RecordNumber.none
    /// Start of the current object's values in ``bytes``.
    private var firstValueStart = 0
    /// Start of the current record, or ``firstValueStart`` if only values are being encoded.
    private var recordStart = 0
    /// Start of the most recent key, whose value begins at ``valueStart``.
    private var keyStart = 0
    private var valueStart = 0
    /// Total size of a key and its value, in bytes, up to which no further checks are needed.
    private var maximumUncheckedBytes: Int {
        min(limits.warningBytes, limits.maximumBytes, OutOfLineValue.maximumInlineBytes)
    }
    /// Classes whose unlisted properties have been reported in this pass.
    private var reportedClasses: Set<ObjectIdentifier> = []

    package init(names: NameTable, passMetadata: PassMetadata, limits: ValueLimits = ValueLimits())
    {
        self.names = names
        self.passMetadata = passMetadata
        self.limits = limits
    }

    /// Bytes that have been written in this pass. Each object's values are a range of these bytes.
    package var bytes: [UInt8] { valueWriter.writer.bytes }

    /// Ends the pass, and returns the written bytes.
    func consumeBytes() -> [UInt8] {
        reportedClasses = []
        references = []
        return valueWriter.writer.consumeBytes()
    }

    /// Number of keys written for the current object.
    var keyCount: Int { writtenKeys.writtenKeyCount }

    /// Begins an object's record by writing the header.
    func beginRecord(_ header: ObjectHeader, storyboardName: String? = nil) {
        let start = valueWriter.writer.count
        valueWriter.writer.write(header)
        begin(RecordNumber(header.number), storyboardName: storyboardName)
        recordStart = start
    }

    /// Ends the current record, and moves its large values into separate records.
    ///
    /// - Parameter spans: The list to which the positions of the record and of the large values in ``bytes`` are added.
    func endRecord(_ header: ObjectHeader, into spans: inout [RecordList.Span]) {
        if largeValues.isEmpty {
            let byteCount = valueWriter.writer.count - recordStart
            spans.append(
                RecordList.Span(type: .object, buffer: 0, start: recordStart, count: byteCount))
            return
        }
        let values = SavedValues(bytes[valuesRange()], largeValues: largeValues)
        var records = RecordList()
        records.append(
            ObjectRecord(
                header: header, values: values.inlineValues,
                outOfLine: zip(largeValues, values.outOfLine).map {
                    OutOfLineValue(key: $0.keyNumber, bytes: $1)
                }))
        discardRecord()
        for span in records.spans {
            spans.append(
                RecordList.Span(
                    type: span.type, buffer: 0, start: valueWriter.writer.count, count: span.count))
            valueWriter.writer.writeRawBytes(records.payload(of: span))
        }
    }

    /// Begins encoding the values of the object whose record has the given number.
    package func begin(_ number: RecordNumber = .none, storyboardName: String? = nil) {
        currentRecordNumber = number
        self.storyboardName = storyboardName
        firstValueStart = valueWriter.writer.count
        recordStart = firstValueStart
        writtenKeys.beginObject()
        if !references.isEmpty { references = [] }
        if !problems.isEmpty { problems = [] }
        if !warnings.isEmpty { warnings = [] }
        if !largeValues.isEmpty { largeValues = [] }
        if !keysExcludedFromHistory.isEmpty { keysExcludedFromHistory = [] }
    }

    /// Reserves memory for the encoded values of all objects.
    ///
    /// - Parameter count: The total number of bytes.
    func reserveCapacity(_ count: Int) {
        valueWriter.writer.reserveCapacity(count)
    }

    /// Calls a closure with the encoded values of the current object.
    func withValues<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        valueWriter.writer.bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[firstValueStart...]))
        }
    }

    /// Appends values that were encoded earlier.
    func append(_ values: EncodedValues) {
        let offset = valueWriter.writer.count
        largeValues += values.largeValues.map {
            LargeValue(
                keyNumber: $0.keyNumber,
                byteRange: $0.byteRange.lowerBound + offset..<$0.byteRange.upperBound + offset)
        }
        valueWriter.writer.writeRawBytes(values.bytes)
    }

    /// Returns the range of the current object's values in ``bytes``.
    package func valuesRange() -> Range<Int> { firstValueStart..<valueWriter.writer.count }

    /// Stores the keys that the history ignores, if there are any.
    ///
    /// Call this method after all other values of the object have been encoded.
    func encodeExcludedKeys() {
        if keysExcludedFromHistory.isEmpty { return }
        encodeReserved(keysExcludedFromHistory, forKey: Self.excludedFromHistoryKey)
    }

    /// Removes the record of the current object, or its values if only values were being encoded.
    package func discardRecord() {
        valueWriter.truncate(to: recordStart)
    }

    /// Stores a value under a key.
    ///
    /// Each object can use a key only once, and the key must not begin with `@`. By default, a value must not be larger
    /// than 16 MiB. It must not be nested more than 64 levels deep. A violation is reported as a
    /// ``StateEncodingError``, and the previously saved value is kept (P9).
    @inlinable
    public func encode(_ value: some StateValue, forKey key: StaticString) {
        guard var valueWriter = beginValue(key) else { return }
        value.write(to: &valueWriter)
        endValue(valueWriter, key)
    }

    /// Stores a value under a key, or nothing if the value is `nil`.
    ///
    /// A missing key decodes as `nil` (R14).
    @inlinable
    public func encode(_ value: (some StateValue)?, forKey key: StaticString) {
        if let value { encode(value, forKey: key) }
    }

    /// Excludes a value from the comparison of states for the history.
    ///
    /// If two states differ only in excluded values, the history does not store a second generation. Use this method
    /// for values that change on every launch, such as a launch counter. The value is still saved and restored like any
    /// other value.
    ///
    /// - Parameter key: The key of the value, which can be stored before or after this call.
    public func excludeFromHistory(forKey key: StaticString) {
        keysExcludedFromHistory.append(key.description)
    }

    /// Key under which the keys passed to ``excludeFromHistory(forKey:)`` are stored.
    static let excludedFromHistoryKey: StaticString = "@uncounted"

    /// Stores one of the library's own values.
    func encodeReserved(_ value: some StateValue, forKey key: StaticString) {
        guard var valueWriter = beginReservedValue(key) else { return }
        value.write(to: &valueWriter)
        endValue(valueWriter, key)
    }

    /// Writes a value under a key, and removes the value if it violates P9.
    func store(_ key: StaticString, _ write: (inout StateValueWriter) -> Void) {
        guard var valueWriter = beginValue(key) else { return }
        write(&valueWriter)
        endValue(valueWriter, key)
    }

    /// Writes a key, and lends out the writer until ``endValue(_:_:)`` is called.
    ///
    /// - Returns: The writer, or `nil` if the key cannot be written. In that case, the reason is reported.
    @usableFromInline
    func beginValue(_ key: StaticString) -> StateValueWriter? {
        guard !Self.isReserved(key) else {
            report(.reservedKey, key)
            return nil
        }
        return beginReservedValue(key)
    }

    /// Returns whether a key is reserved for the library because it begins with `@`.
    private static func isReserved(_ key: StaticString) -> Bool {
        guard key.hasPointerRepresentation else { return key.unicodeScalar == "@" }
        return key.utf8CodeUnitCount > 0 && key.utf8Start.pointee == UInt8(ascii: "@")
    }

    /// Writes a key, which may be one of the library's own keys.
    func beginReservedValue(_ key: StaticString) -> StateValueWriter? {
        guard let number = writtenKeys.matchNext(key) ?? registerKey(key) else { return nil }
        var writer = StateValueWriter()
        swap(&writer, &valueWriter)
        keyStart = writer.writer.count
        writer.writer.writeVarint(UInt64(number))
        valueStart = writer.writer.count
        return writer
    }

    /// Returns the number of a key, or reports an error if the object has already written the key.
    private func registerKey(_ key: StaticString) -> UInt32? {
        let number = names.number(for: key)
        if writtenKeys.insert(number, key) { return number }
        report(.keyWrittenTwice, key)
        return nil
    }

    /// Takes back a lent writer, and removes the written value if it violates P9.
    @usableFromInline
    func endValue(_ writer: consuming StateValueWriter, _ key: StaticString) {
        let byteCount = writer.writer.count - keyStart
        let isTooDeep = writer.isTooDeep
        valueWriter = writer
        if byteCount > maximumUncheckedBytes || isTooDeep { checkValue(key, isTooDeep: isTooDeep) }
    }

    private func checkValue(_ key: StaticString, isTooDeep: Bool) {
        let byteCount = valueWriter.writer.count - valueStart
        guard !isTooDeep, byteCount <= limits.maximumBytes else {
            valueWriter.truncate(to: keyStart)
            writtenKeys.removeLast()
            return refuse(
                isTooDeep
                    ? .nestedTooDeep : .tooLarge(bytes: byteCount, limit: limits.maximumBytes), key)
        }
        if byteCount > limits.warningBytes {
            warnings.append(Warning(key: key.description, byteCount: byteCount))
        }
        registerLargeValue(key)
    }

    /// Adds the last value to ``largeValues`` if it is large.
    private func registerLargeValue(_ key: StaticString) {
        let byteRange = keyStart..<valueWriter.writer.count
        if byteRange.count > OutOfLineValue.maximumInlineBytes {
            largeValues.append(LargeValue(keyNumber: names.number(for: key), byteRange: byteRange))
        }
    }

    /// Reports a value that cannot be saved, and stores the previously saved value instead, if there is one.
    ///
    /// The pass therefore writes nothing if nothing else has changed (P9). References in the previously saved value do
    /// not preserve their objects. Such a reference decodes as `nil` unless its object is preserved for another reason.
    func refuse(_ cause: StateEncodingError.Cause, _ key: StaticString) {
        guard let earlierValue = records?.savedValue(of: key, in: currentRecordNumber),
            var valueWriter = beginValue(key)
        else {
            return report(cause, key)
        }
        valueWriter.writer.writeRawBytes(earlierValue)
        self.valueWriter = valueWriter
        registerLargeValue(key)
        problems.append(Problem(key.description, cause, keepsPreviousValue: true))
    }

    /// Records that a value is omitted.
    func report(_ cause: StateEncodingError.Cause, _ key: StaticString) {
        problems.append(Problem(key.description, cause))
    }

    /// Records the properties that a class does not list, once per pass.
    func report(_ unlistedProperties: [Problem], of type: ObjectIdentifier) {
        if reportedClasses.insert(type).inserted { problems += unlistedProperties }
    }

    /// Stores a reference to an object, which also preserves that object (P5, P8).
    ///
    /// A reference to an object without an identifier is reported, and decodes as `nil`.
    public func encode(_ object: (any StateRestoring)?, forKey key: StaticString) {
        guard let object, let number = number(of: object, key) else { return }
        store(key) { $0.writer.writeReference(number) }
    }

    /// Stores a reference to an object whose class is also `Encodable`.
    public func encode(_ object: some StateRestoring & Encodable, forKey key: StaticString) {
        encode(object as any StateRestoring, forKey: key)
    }

    /// Stores an array of references to objects (P8).
    ///
    /// A reference to an object without an identifier is reported, and decodes as `nil`.
    public func encode(_ objects: [any StateRestoring], forKey key: StaticString) {
        let numbers = objects.compactMap { number(of: $0, key) }
        store(key) { valueWriter in
            valueWriter.writer.write(.array)
            valueWriter.writer.writeVarint(UInt64(numbers.count))
            for number in numbers { valueWriter.writer.writeReference(number) }
        }
    }

    /// Stores a dictionary of references to objects (P8).
    ///
    /// A reference to an object without an identifier is reported, and decodes as `nil`.
    public func encode(_ objects: [String: any StateRestoring], forKey key: StaticString) {
        let numbers = objects.sorted { $0.key < $1.key }
            .compactMap { name, object in number(of: object, key).map { (name, $0) } }
        store(key) { valueWriter in
            valueWriter.writer.write(.dictionary)
            valueWriter.writer.writeVarint(UInt64(numbers.count))
            for (name, number) in numbers {
                valueWriter.writer.writeText(name)
                valueWriter.writer.writeReference(number)
            }
        }
    }

    /// Returns the record number to store for an object, or `nil` if the object has no record number.
    private func number(of object: any StateRestoring, _ key: StaticString) -> RecordNumber? {
        var number = recordNumberOfObject?(object)
        if recordNumberOfObject == nil, let records {
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

extension EncodedValues {
    /// Copies the encoder's current values. The encoder's ``StateEncoder/bytes`` must contain no other values.
    init(_ encoder: StateEncoder) {
        bytes = Array(encoder.bytes[encoder.valuesRange()])
        largeValues = encoder.largeValues
    }
}
