import SavedState
import StateRecords

/// Model of an application's saved state, which shares no code with the library.
struct SavedModel: Sendable {
    private(set) var names: [UInt32: String] = [:]
    private(set) var objects: [UInt32: ObjectRecord] = [:]
    private(set) var passes: [UInt32: PassEnd] = [:]
    /// Digest that distinguishes this state from all other states within this process.
    private(set) var digest: UInt64 = 0
    private(set) var highestNumber: UInt32 = 0
    private(set) var highestName: UInt32 = 0

    /// Time of the newest live pass, or 0 if there is no pass.
    var lastTime: Int64 { passes.values.reduce(0) { max($0, $1.timestamp) } }

    init() {}

    /// Creates a model of an archive's contents.
    init(_ contents: ArchiveContents) {
        for (number, text) in contents.names { addName(text, number) }
        for object in contents.objects { put(object) }
        for (_, end) in contents.passEnds { endPass(end) }
        highestNumber = max(highestNumber, contents.highestObjectNumber)
        highestName = max(highestName, contents.names.keys.max() ?? 0)
    }

    /// Numbers of the scenes, sorted.
    var scenes: [UInt32] { objects.values.filter { $0.header.parent == 0 }.map(\.number).sorted() }

    /// Returns the sorted numbers of a scene and of all objects below it.
    func tree(_ root: UInt32) -> [UInt32] {
        var tree: Set<UInt32> = [root]
        var count = 0
        while tree.count > count {
            count = tree.count
            for object in objects.values where tree.contains(object.header.parent) {
                tree.insert(object.number)
            }
        }
        return tree.sorted()
    }

    mutating func addName(_ text: String, _ number: UInt32) {
        names[number] = text
        highestName = max(highestName, number)
        digest &+= Self.hash(text, number)
    }

    mutating func put(_ record: ObjectRecord) {
        let number = record.number
        highestNumber = max(highestNumber, number)
        if let old = objects.updateValue(record, forKey: number) { digest &-= Self.hash(old) }
        digest &+= Self.hash(record)
        if record.header.parent != 0 { setPass(nil, of: number) }
    }

    mutating func remove(_ root: UInt32) {
        highestNumber = max(highestNumber, root)
        guard objects[root] != nil else { return }
        for number in tree(root) {
            if let old = objects.removeValue(forKey: number) { digest &-= Self.hash(old) }
            setPass(nil, of: number)
        }
    }

    mutating func endPass(_ end: PassEnd) {
        if objects[end.scene]?.header.parent == 0 { setPass(end, of: end.scene) }
    }

    private mutating func setPass(_ end: PassEnd?, of scene: UInt32) {
        if let old = passes[scene] { digest &-= Self.hash(old) }
        passes[scene] = end
        if let end { digest &+= Self.hash(end) }
    }

    // MARK: Digests

    /// Returns the digest of an archive's contents.
    static func digest(of contents: ArchiveContents) -> UInt64 {
        var digest: UInt64 = 0
        for (number, text) in contents.names { digest &+= hash(text, number) }
        for object in contents.objects { digest &+= hash(object) }
        for (scene, end) in contents.passEnds where scene == end.scene { digest &+= hash(end) }
        return digest
    }

    private static func hash(_ text: String, _ number: UInt32) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(text)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func hash(_ end: PassEnd) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(end.scene)
        hasher.combine(end.timestamp)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func hash(_ record: ObjectRecord) -> UInt64 {
        var hasher = Hasher()
        let header = record.header
        hasher.combine(header.number)
        hasher.combine(header.parent)
        hasher.combine(header.kind)
        hasher.combine(header.identifier)
        hasher.combine(header.classToken)
        hasher.combine(header.storyboard)
        record.values.withUnsafeBytes { hasher.combine(bytes: $0) }
        for value in record.outOfLine {
            hasher.combine(value.key)
            value.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension ObjectRecord {
    var number: UInt32 { header.number }
}
