/// The newest record of each object, the tree they form, the names, and the scenes' passes.
///
/// Passes are taken whole, or not at all: ``check(_:_:)`` first, ``merge(_:_:)`` then.
struct ObjectStore: Sendable {
    /// The neighbours of an object among those with the same parent, and its first and last child.
    struct Links {
        var previous: UInt32 = 0
        var next: UInt32 = 0
        var firstChild: UInt32 = 0
        var lastChild: UInt32 = 0
    }

    private(set) var names: [UInt32: String] = [:]
    private(set) var records: [UInt32: ObjectRecord] = [:]
    private(set) var passes: [UInt32: PassEnd] = [:]
    private(set) var highestObjectNumber: UInt32 = 0
    private(set) var highestNameNumber: UInt32 = 0
    /// Number 0 links the scenes.
    private var links: [UInt32: Links] = [0: Links()]

    /// Takes a pass that ``check(_:_:)`` has accepted.
    mutating func merge(_ pass: some Sequence<ArchiveRecord>, _ stamp: PassEnd) {
        for record in pass {
            switch record {
            case .name(let number, let text):
                names[number] = text
                highestNameNumber = max(highestNameNumber, number)
            case .object(let object):
                put(object)
            case .placement(let header):
                put(ObjectRecord(header: header, values: records[header.number]?.values ?? []))
            case .removal(let number):
                highestObjectNumber = max(highestObjectNumber, number)
                removeTree(number)
            case .passEnd, .closed, .opened:
                break
            }
        }
        if records[stamp.scene]?.header.parent == 0 { passes[stamp.scene] = stamp }
    }

    /// The scenes' numbers, in the order in which they first came.
    var scenes: [UInt32] {
        var scenes: [UInt32] = []
        var number = links[0]?.firstChild ?? 0
        while number != 0 {
            scenes.append(number)
            number = links[number]?.next ?? 0
        }
        return scenes
    }

    /// An object and everything below it, each after its parent.
    func tree(_ root: UInt32) -> [ObjectRecord] {
        var objects: [ObjectRecord] = []
        var waiting = [root]
        while let number = waiting.popLast() {
            guard let record = records[number], let link = links[number] else { continue }
            objects.append(record)
            var child = link.lastChild
            while child != 0 {
                waiting.append(child)
                child = links[child]?.previous ?? 0
            }
        }
        return objects
    }

    private mutating func put(_ object: ObjectRecord) {
        let number = object.header.number
        let parent = object.header.parent
        let before = records.updateValue(object, forKey: number)
        highestObjectNumber = max(highestObjectNumber, number)
        if before?.header.parent == parent { return }
        if let before { unlink(number, from: before.header.parent) }
        link(number, below: parent)
        if parent != 0 { passes[number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let record = records[root] else { return }
        unlink(root, from: record.header.parent)
        for object in tree(root) {
            records[object.header.number] = nil
            links[object.header.number] = nil
        }
        passes[root] = nil
    }

    private mutating func link(_ number: UInt32, below parent: UInt32) {
        let last = links[parent, default: Links()].lastChild
        links[number, default: Links()].previous = last
        links[number, default: Links()].next = 0
        if last == 0 {
            links[parent, default: Links()].firstChild = number
        } else {
            links[last, default: Links()].next = number
        }
        links[parent, default: Links()].lastChild = number
    }

    private mutating func unlink(_ number: UInt32, from parent: UInt32) {
        guard let link = links[number] else { return }
        if link.previous == 0 {
            links[parent]?.firstChild = link.next
        } else {
            links[link.previous]?.next = link.next
        }
        if link.next == 0 {
            links[parent]?.lastChild = link.previous
        } else {
            links[link.next]?.previous = link.previous
        }
    }
}
