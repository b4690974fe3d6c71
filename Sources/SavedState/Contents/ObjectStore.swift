/// The newest record of each object, the tree they form, the names, and the scenes' passes. Each
/// pass is taken by ``check(_:_:)``, ``merge(_:_:)`` and, before anything is read,
/// ``joinPatches()``.
struct ObjectStore: Sendable {
    /// A record and its place. Places are counted from 1; place 0 holds the scenes.
    struct Node: Sendable {
        /// Of the out-of-line values only the keys.
        var record: ObjectRecord
        var previous: Int32 = 0
        var next: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0
        /// Whether it is below no parent, because that has not come yet.
        var isOrphan = false
        /// Whether its values are in ``patched``.
        var isPatched = false
    }

    /// Tells one of the values apart from all others.
    struct ValueName: Hashable {
        var object: UInt32
        var key: UInt32
    }

    /// The names with their numbers, in the order in which they came.
    private(set) var numberedNames: [(number: UInt32, text: String)] = []
    private(set) var passes: [UInt32: PassEnd] = [:]
    private(set) var highestObjectNumber: UInt32 = 0
    /// How many bytes a file of this store alone has at most, but for its header.
    private(set) var byteCount = ArchiveFormat.smallestRecord + ArchiveFormat.endLength
    /// How many keys, bytes and pieces of changed values have been gone through so far.
    private(set) var work = 0

    private var places = NumberTable()
    private var namePlaces = NumberTable()
    private var nodes: [Node]
    /// The out-of-line values.
    private var outOfLineValues: [ValueName: ArraySlice<UInt8>] = [:]
    /// The changed values of objects that have many, by the objects' places.
    private var patched: [Int32: PatchedValues] = [:]
    private var freePlaces: [Int32] = []
    /// The digest of the state, until that changes.
    private var knownDigest: UInt64?
    /// Objects of the pass being merged whose parents have not come yet, and such as were orphans.
    private var orphans: [Int32] = []

    init() {
        let none = ObjectHeader(number: 0, parent: 0, kind: 0, identifier: "")
        nodes = [Node(record: ObjectRecord(header: none, values: []))]
    }

    // MARK: Reading

    /// How many objects there are, scenes included.
    var count: Int { places.count }

    /// The names by their numbers.
    var names: [UInt32: String] {
        Dictionary(numberedNames.lazy.map { ($0.number, $0.text) }) { first, _ in first }
    }

    /// Whether there is a name of that number.
    func hasName(_ number: UInt32) -> Bool { namePlaces[number] != nil }

    /// The newest record of an object.
    subscript(number: UInt32) -> ObjectRecord? { place(of: number).map(whole) }

    /// Whether there is an object of that number.
    func contains(_ number: UInt32) -> Bool { places[number] != nil }

    /// The number above an object; nil if there is no such object.
    func parent(of number: UInt32) -> UInt32? { record(of: number)?.header.parent }

    /// The newest record of an object, but of the out-of-line values only the keys.
    func record(of number: UInt32) -> ObjectRecord? {
        places[number].map { nodes[Int($0)].record }
    }

    /// How many bytes the values of an object have, but for those out of line, patches included.
    func valueByteCount(of number: UInt32) -> Int? {
        guard let place = place(of: number) else { return nil }
        let node = nodes[Int(place)]
        return node.isPatched ? patched[place]?.byteCount : node.record.values.count
    }

    /// An out-of-line value; nil if the object has none of that key.
    func outOfLineValue(_ key: UInt32, of number: UInt32) -> ArraySlice<UInt8>? {
        outOfLineValues[ValueName(object: number, key: key)]
    }

    /// The scenes' numbers, in the order in which they first came.
    var scenes: [UInt32] {
        var scenes: [UInt32] = []
        var place = nodes[0].firstChild
        while place != 0 {
            scenes.append(nodes[Int(place)].record.header.number)
            place = nodes[Int(place)].next
        }
        return scenes
    }

    /// An object and everything below it, each after its parent.
    func tree(_ root: UInt32) -> [ObjectRecord] {
        guard let start = place(of: root) else { return [] }
        var objects: [ObjectRecord] = []
        forEachPlace(from: start) { objects.append(whole($0)) }
        return objects
    }

    private func forEachPlace(from start: Int32, _ body: (Int32) -> Void) {
        var waiting = [start]
        while let place = waiting.popLast() {
            body(place)
            var child = nodes[Int(place)].lastChild
            while child != 0 {
                waiting.append(child)
                child = nodes[Int(child)].previous
            }
        }
    }

    /// The record at a place with its out-of-line values.
    private func whole(_ place: Int32) -> ObjectRecord {
        var record = nodes[Int(place)].record
        if record.outOfLine.isEmpty { return record }
        let number = record.header.number
        record.outOfLine = record.outOfLine.map {
            OutOfLineValue(key: $0.key, bytes: outOfLineValue($0.key, of: number) ?? [])
        }
        return record
    }

    // MARK: Merging

    /// Takes a pass that ``check(_:_:)`` has accepted.
    mutating func merge(_ pass: [ArchiveEntry], _ end: PassEnd) {
        knownDigest = nil
        for index in pass.indices { merge(pass[index].record) }
        linkOrphans()
        if parent(of: end.scene) == 0 { passes[end.scene] = end }
    }

    /// Puts together what patches made of large values, of which only the byte count is known
    /// before.
    mutating func joinPatches() {
        for (place, values) in patched {
            nodes[Int(place)].record.values = values.bytes
            nodes[Int(place)].isPatched = false
            work += values.work
        }
        patched = [:]
    }

    /// See ``ArchiveContents/digest``.
    mutating func digest() -> UInt64 {
        if let knownDigest { return knownDigest }
        let digest = contents(closed: false, sequence: 0).digest
        knownDigest = digest
        return digest
    }

    private mutating func merge(_ record: ArchiveRecord) {
        switch record {
        case .name(let number, let text):
            namePlaces[number] = Int64(numberedNames.count)
            numberedNames.append((number, text))
            byteCount += record.byteCount
        case .object(let object): put(object)
        case .placement(let header):
            guard let place = self.place(of: header.number) else { return }
            byteCount += header.identifier.utf8.count
            byteCount -= nodes[Int(place)].record.header.identifier.utf8.count
            let before = nodes[Int(place)].record.header.parent
            nodes[Int(place)].record.header = header
            move(place, from: before, to: header)
        case .value(let number, let value):
            let name = ValueName(object: number, key: value.key)
            work += 1
            let old = outOfLineValues.updateValue(value.bytes, forKey: name)
            byteCount += value.bytes.count - (old?.count ?? 0)
        case .patch(let patch): apply(patch)
        case .removal(let number):
            highestObjectNumber = max(highestObjectNumber, number)
            linkOrphans()
            removeTree(number)
        case .nothing, .closed, .opened: break
        }
    }

    private mutating func put(_ record: ObjectRecord) {
        byteCount += record.byteCount
        guard let place = self.place(of: record.header.number) else {
            nameOutOfLineValues(of: record, insteadOf: [])
            return link(take(record), below: record.header.parent)
        }
        forgetPatches(at: place)
        let old = nodes[Int(place)].record
        byteCount -= old.byteCount
        nameOutOfLineValues(of: record, insteadOf: old.outOfLine)
        nodes[Int(place)].record = record
        move(place, from: old.header.parent, to: record.header)
    }

    /// An object has out-of-line values of these keys, which keep their bytes, instead of others.
    private mutating func nameOutOfLineValues(
        of record: ObjectRecord, insteadOf old: [OutOfLineValue]
    ) {
        if old.isEmpty, record.outOfLine.isEmpty { return }
        let number = record.header.number
        work += old.count + record.outOfLine.count
        let keys = Set(record.outOfLine.lazy.map(\.key))
        for value in old where !keys.contains(value.key) {
            removeOutOfLineValue(value.key, of: number)
        }
        for key in keys { outOfLineValues[ValueName(object: number, key: key), default: []] += [] }
    }

    private mutating func removeOutOfLineValue(_ key: UInt32, of number: UInt32) {
        let bytes = outOfLineValues.removeValue(forKey: ValueName(object: number, key: key))
        byteCount -= bytes?.count ?? 0
    }

    // MARK: Patches

    /// Values of so many bytes or fewer are copied for each patch.
    private static let fewBytes = 4096

    private mutating func apply(_ patch: ValuesPatch) {
        guard let place = place(of: patch.object) else { return }
        byteCount += patch.bytes.count - Int(patch.removed)
        let values = nodes[Int(place)].record.values
        if !nodes[Int(place)].isPatched, values.count <= Self.fewBytes {
            guard let changed = patch.applied(to: values) else { return }
            work += changed.count
            nodes[Int(place)].record.values = changed
        } else {
            nodes[Int(place)].isPatched = true
            patched[place, default: PatchedValues(values)].add(patch)
        }
    }

    private mutating func forgetPatches(at place: Int32) {
        guard nodes[Int(place)].isPatched else { return }
        nodes[Int(place)].isPatched = false
        guard let values = patched.removeValue(forKey: place) else { return }
        work += values.work
        byteCount -= values.byteCount - nodes[Int(place)].record.values.count
    }

    // MARK: Places

    private mutating func take(_ record: ObjectRecord) -> Int32 {
        let number = record.header.number
        highestObjectNumber = max(highestObjectNumber, number)
        let place = freePlaces.popLast() ?? Int32(nodes.count)
        if place == nodes.count {
            nodes.append(Node(record: record))
        } else {
            nodes[Int(place)] = Node(record: record)
        }
        places[number] = Int64(place)
        return place
    }

    /// An object has got another header, and with it perhaps another parent.
    private mutating func move(_ place: Int32, from before: UInt32, to header: ObjectHeader) {
        if before == header.parent { return }
        unlink(place, from: before)
        link(place, below: header.parent)
        if header.parent != 0 { passes[header.number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let place = self.place(of: root) else { return }
        unlink(place, from: nodes[Int(place)].record.header.parent)
        var gone: [Int32] = []
        forEachPlace(from: place) { gone.append($0) }
        for place in gone {
            forgetPatches(at: place)
            let record = nodes[Int(place)].record
            byteCount -= record.byteCount
            for value in record.outOfLine {
                removeOutOfLineValue(value.key, of: record.header.number)
            }
            places[record.header.number] = nil
            nodes[Int(place)] = Node(record: nodes[0].record)
        }
        freePlaces += gone
        passes[root] = nil
    }

    /// The place of a parent; 0 for that of the scenes, nil if it has not come yet.
    private func place(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : places[number].map(Int.init)
    }

    private func place(of number: UInt32) -> Int32? { places[number].map { Int32($0) } }

    private mutating func linkOrphans() {
        if orphans.isEmpty { return }
        let waiting = orphans
        orphans = []
        for place in waiting where nodes[Int(place)].isOrphan {
            nodes[Int(place)].isOrphan = false
            link(place, below: nodes[Int(place)].record.header.parent)
        }
    }

    private mutating func link(_ place: Int32, below parent: UInt32) {
        guard let above = self.place(ofParent: parent) else {
            nodes[Int(place)].isOrphan = true
            return orphans.append(place)
        }
        let last = nodes[above].lastChild
        nodes[Int(place)].previous = last
        nodes[Int(place)].next = 0
        if last == 0 {
            nodes[above].firstChild = place
        } else {
            nodes[Int(last)].next = place
        }
        nodes[above].lastChild = place
    }

    private mutating func unlink(_ place: Int32, from parent: UInt32) {
        if nodes[Int(place)].isOrphan {
            nodes[Int(place)].isOrphan = false
            return
        }
        guard let above = self.place(ofParent: parent) else { return }
        let previous = nodes[Int(place)].previous
        let next = nodes[Int(place)].next
        if previous == 0 {
            nodes[above].firstChild = next
        } else {
            nodes[Int(previous)].next = next
        }
        if next == 0 {
            nodes[above].lastChild = previous
        } else {
            nodes[Int(next)].previous = previous
        }
    }
}
