/// Takes the state of one object during a pass.
///
/// Each object has a coder of its own, so that equal keys in different objects never collide (P3).
/// Values go into their stored form at once. A coder is valid only inside the call that it was
/// handed to.
public final class StateEncoder {
    /// The reserved values of this pass (P4).
    public internal(set) var stamp: PassStamp
    /// The storyboard that made the object, if one did (P4).
    public internal(set) var storyboardName: String?

    let names: NameTable
    /// Gives the number under which an object is, or will be, recorded in this pass (P8).
    var reference: ((any StateRestoring) -> RecordNumber?)?
    private(set) var problems: [Problem] = []
    private var target = StateValueWriter()
    private var start = 0
    private var keys: [UInt32] = []

    /// What went wrong with one key; the pass goes on without it (P9).
    package struct Problem: Sendable, Equatable {
        package var key: String
        package var cause: Cause

        package enum Cause: Sendable, Equatable {
            case writtenTwice
            case referenceWithoutIdentifier
        }
    }

    init(names: NameTable, stamp: PassStamp) {
        self.names = names
        self.stamp = stamp
    }

    /// Everything that was written in this pass; an object's values are a range of it.
    var bytes: [UInt8] { target.writer.bytes }

    /// Begins the values of one object.
    func begin(storyboardName: String? = nil) {
        self.storyboardName = storyboardName
        start = target.writer.bytes.count
        keys.removeAll(keepingCapacity: true)
        problems.removeAll(keepingCapacity: true)
    }

    /// Takes over values that were encoded before.
    func append(_ values: [UInt8]) {
        target.writer.writeRaw(values)
    }

    /// Ends the values of the object begun last, and tells where they stand.
    func end() -> Range<Int> { start..<target.writer.bytes.count }

    /// Takes back the values of the object begun last.
    func cancel() { target.writer.truncate(to: start) }

    /// Stores a value under a key. A key is written once for each object; a second value for it is
    /// left out and reported (P9).
    public func encode(_ value: some StateValue, forKey key: StaticString) {
        guard claim(key) else { return }
        value.write(to: &target)
    }

    /// Stores a value under a key, or nothing if it is nil: a missing key decodes as nil (R14).
    public func encode(_ value: (some StateValue)?, forKey key: StaticString) {
        if let value { encode(value, forKey: key) }
    }

    /// Stores a reference to an object, which is thereby preserved too (P5, P8). An object without
    /// an identifier cannot be: it is reported, and the reference decodes as nil.
    public func encode(_ object: (any StateRestoring)?, forKey key: StaticString) {
        guard let object, let number = refer(to: object, key), claim(key) else { return }
        target.writer.writeReference(number)
    }

    /// Stores references in their order (P8).
    public func encode(_ objects: [any StateRestoring], forKey key: StaticString) {
        let numbers = objects.compactMap { refer(to: $0, key) }
        guard claim(key) else { return }
        target.writer.write(.array)
        target.writer.writeVarint(UInt64(numbers.count))
        for number in numbers { target.writer.writeReference(number) }
    }

    /// Stores references by name (P8).
    public func encode(_ objects: [String: any StateRestoring], forKey key: StaticString) {
        let numbers = objects.sorted { $0.key < $1.key }
            .compactMap { name, object in refer(to: object, key).map { (name, $0) } }
        guard claim(key) else { return }
        target.writer.write(.dictionary)
        target.writer.writeVarint(UInt64(numbers.count))
        for (name, number) in numbers {
            target.writer.writeText(name)
            target.writer.writeReference(number)
        }
    }

    private func refer(
        to object: any StateRestoring, _ key: StaticString
    ) -> RecordNumber? {
        let number = reference?(object)
        if number == nil || object.restoration.identifier == nil {
            problems.append(
                Problem(key: key.description, cause: .referenceWithoutIdentifier))
        }
        return number
    }

    private func claim(_ key: StaticString) -> Bool {
        let number = names.number(for: key)
        if keys.contains(number) {
            problems.append(Problem(key: key.description, cause: .writtenTwice))
            return false
        }
        keys.append(number)
        target.writer.writeVarint(UInt64(number))
        return true
    }
}
