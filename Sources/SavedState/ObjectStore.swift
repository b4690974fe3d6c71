/// The newest record of each object, the tree they form, the names, and the scenes' passes.
///
/// Passes are taken whole, or not at all: ``check(_:_:)`` first, ``merge(_:_:)`` then.
struct ObjectStore: Sendable {
    /// A record and its place. Places are counted from 1; place 0 holds the scenes.
    struct Node: Sendable {
        var record: ObjectRecord
        var previous: Int32 = 0
        var next: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0
        /// Whether it is below no parent, because that has not come yet.
        var isOrphan = false
    }

    private(set) var names: [UInt32: String] = [:]
    private(set) var passes: [UInt32: PassEnd] = [:]
    private(set) var highestObjectNumber: UInt32 = 0
    private(set) var highestNameNumber: UInt32 = 0
    /// How many bytes a file of this store alone has at most, but for its header.
    private(set) var byteCount = ArchiveFormat.smallestRecord + ArchiveFormat.endLength

    private var nodes: [Node]
    private var places = NumberTable()
    private var freePlaces: [Int32] = []
    /// Objects of the pass being merged whose parents have not come yet, and such as were orphans.
    private var orphans: [Int32] = []

    init() {
        let none = ObjectHeader(number: 0, parent: 0, kind: 0, identifier: "")
        nodes = [Node(record: ObjectRecord(header: none, values: []))]
    }

    /// How many objects there are, scenes included.
    var count: Int { places.count }

    /// The newest record of an object.
    subscript(number: UInt32) -> ObjectRecord? {
        places[number].map { nodes[Int($0)].record }
    }

    /// Whether there is an object of that number.
    func contains(_ number: UInt32) -> Bool { places[number] != nil }

    /// The number above an object; nil if there is no such object.
    func parent(of number: UInt32) -> UInt32? {
        places[number].map { nodes[Int($0)].record.header.parent }
    }

    /// Runs a body on an object's record without copying it.
    func read<Result>(_ number: UInt32, _ body: (borrowing ObjectRecord) -> Result) -> Result? {
        guard let place = places[number] else { return nil }
        return body(nodes[Int(place)].record)
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
        var waiting = [start]
        while let place = waiting.popLast() {
            objects.append(nodes[Int(place)].record)
            var child = nodes[Int(place)].lastChild
            while child != 0 {
                waiting.append(child)
                child = nodes[Int(child)].previous
            }
        }
        return objects
    }

    // MARK: Merging

    /// Takes a pass that ``check(_:_:)`` has accepted.
    mutating func merge(_ pass: [ArchiveEntry], _ end: PassEnd) {
        for index in pass.indices { merge(pass[index].record) }
        linkOrphans()
        if parent(of: end.scene) == 0 { passes[end.scene] = end }
    }

    private mutating func merge(_ record: ArchiveRecord) {
        switch record {
        case .name(let number, let text):
            names[number] = text
            highestNameNumber = max(highestNameNumber, number)
            byteCount += record.byteCount
        case .object(let header, let keys, let values):
            put(header, keys, values)
        case .placement(let header):
            guard let place = self.place(of: header.number) else { return }
            byteCount += header.identifier.utf8.count
            byteCount -= nodes[Int(place)].record.header.identifier.utf8.count
            move(place, to: header)
        case .value(let number, let value):
            guard let place = places[number] else { return }
            replace(value, at: Int(place))
        case .patch(let patch):
            guard let place = places[patch.object],
                let values = patch.applied(to: nodes[Int(place)].record.values)
            else { return }
            byteCount += values.count - nodes[Int(place)].record.values.count
            nodes[Int(place)].record.values = values
        case .removal(let number):
            highestObjectNumber = max(highestObjectNumber, number)
            linkOrphans()
            removeTree(number)
        case .nothing, .closed, .opened:
            break
        }
    }

    private mutating func put(
        _ header: ObjectHeader, _ keys: [UInt32], _ values: ArraySlice<UInt8>
    ) {
        guard let place = self.place(of: header.number) else {
            let record = ObjectRecord(
                header: header, values: values,
                apart: keys.isEmpty ? [] : keys.map { ApartValue(key: $0, bytes: []) })
            byteCount += record.byteCount
            link(take(record), below: header.parent)
            return
        }
        let index = Int(place)
        byteCount -= nodes[index].record.byteCount
        if !keys.isEmpty || !nodes[index].record.apart.isEmpty {
            let old = nodes[index].record.apart
            nodes[index].record.apart = keys.map { key in
                old.first { $0.key == key } ?? ApartValue(key: key, bytes: [])
            }
        }
        nodes[index].record.values = values
        move(place, to: header)
        byteCount += nodes[index].record.byteCount
    }

    private mutating func replace(_ value: ApartValue, at index: Int) {
        for slot in nodes[index].record.apart.indices
        where nodes[index].record.apart[slot].key == value.key {
            byteCount += value.bytes.count - nodes[index].record.apart[slot].bytes.count
            nodes[index].record.apart[slot].bytes = value.bytes
        }
    }

    // MARK: Places

    private mutating func take(_ record: ObjectRecord) -> Int32 {
        let number = record.header.number
        highestObjectNumber = max(highestObjectNumber, number)
        let place: Int32
        if let free = freePlaces.popLast() {
            nodes[Int(free)] = Node(record: record)
            place = free
        } else {
            place = Int32(nodes.count)
            nodes.append(Node(record: record))
        }
        places[number] = Int64(place)
        return place
    }

    /// An object gets another header, and with it perhaps another parent.
    private mutating func move(_ place: Int32, to header: ObjectHeader) {
        let before = nodes[Int(place)].record.header.parent
        nodes[Int(place)].record.header = header
        if before == header.parent { return }
        unlink(place, from: before)
        link(place, below: header.parent)
        if header.parent != 0 { passes[header.number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let place = self.place(of: root) else { return }
        unlink(place, from: nodes[Int(place)].record.header.parent)
        for object in tree(root) {
            byteCount -= object.byteCount
            guard let place = self.place(of: object.header.number) else { continue }
            places[object.header.number] = nil
            nodes[Int(place)] = Node(record: nodes[0].record)
            freePlaces.append(place)
        }
        passes[root] = nil
    }

    /// The place of a parent; 0 for that of the scenes, nil if it has not come yet.
    private func place(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : places[number].map(Int.init)
    }

    private func place(of number: UInt32) -> Int32? {
        places[number].map { Int32($0) }
    }

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
