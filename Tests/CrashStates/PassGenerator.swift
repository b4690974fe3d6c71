import SavedState
import SimulatedDisk
import StateRecords
import TestSupport

/// Pass that is being generated.
struct PassGenerator {
    var model: SavedModel
    let time: Int64
    var scene: UInt32 = 0
    var removals: [UInt32] = []
    private var names: [(text: String, number: UInt32)] = []
    private var objects: [UInt32: ObjectRecord] = [:]
    private var placements: [UInt32: ObjectHeader] = [:]

    init(model: SavedModel, time: Int64) {
        self.model = model
        self.time = time
    }

    mutating func addScene(_ numbers: inout SeededNumbers) {
        scene = model.highestNumber + 1
        add(header(scene, below: 0, &numbers), &numbers)
        for _ in 0..<1 + numbers.below(3) { addObject(below: scene, &numbers) }
    }

    mutating func addObject(below parent: UInt32, _ numbers: inout SeededNumbers) {
        add(header(model.highestNumber + 1, below: parent, &numbers), &numbers)
    }

    private mutating func add(_ header: ObjectHeader, _ numbers: inout SeededNumbers) {
        put(ObjectRecord(header: header, values: values(&numbers)))
    }

    /// Replaces an object's small values, or changes one byte of them.
    mutating func changeValues(of number: UInt32, _ numbers: inout SeededNumbers) {
        guard placements[number] == nil, var record = model.objects[number] else { return }
        var bytes = Array(record.values)
        if bytes.count > 20, numbers.happens(percent: 60) {
            bytes[8 + numbers.below(bytes.count - 8)] ^= 1 + UInt8(numbers.below(255))
            bytes.replaceSubrange(0..<8, with: stamp)
            record.values = bytes[...]
        } else {
            record.values = values(&numbers)
        }
        put(record)
    }

    /// Adds, changes or removes a value above 4 KiB.
    mutating func changeLargeValue(of number: UInt32, _ numbers: inout SeededNumbers) {
        guard placements[number] == nil, var record = model.objects[number] else { return }
        let bytes = (0..<4097 + numbers.below(3000)).map { UInt8(truncatingIfNeeded: $0) }
        if !record.outOfLine.isEmpty, numbers.happens(percent: 30) {
            record.outOfLine.removeLast()
        } else if record.outOfLine.count == 2 || numbers.happens(percent: 50),
            !record.outOfLine.isEmpty
        {
            record.outOfLine[0].bytes = (stamp + bytes)[...]
        } else {
            let key = (record.outOfLine.last?.key ?? 0) + 1
            record.outOfLine.append(OutOfLineValue(key: key, bytes: (stamp + bytes)[...]))
        }
        put(record)
    }

    mutating func move(_ number: UInt32, below parent: UInt32) {
        guard objects[number] == nil, var header = model.objects[number]?.header else { return }
        if model.tree(number).contains(parent) {
            header.identifier += "'"
        } else {
            header.parent = parent
        }
        placements[number] = header
        if var record = model.objects[number] {
            record.header = header
            model.put(record)
        }
    }

    /// Adds the pass to a turn.
    mutating func end(_ turn: inout TurnRecords) {
        for name in names { turn.addName(name.text, number: name.number) }
        for (_, record) in objects.sorted(by: { $0.key < $1.key }) { turn.addObject(record) }
        for (_, header) in placements.sorted(by: { $0.key < $1.key }) { turn.addPlacement(header) }
        for number in removals {
            turn.addRemoval(number)
            model.remove(number)
        }
        let end = PassEnd(scene: scene, timestamp: time)
        turn.endPass(end)
        model.endPass(end)
    }

    private mutating func put(_ record: ObjectRecord) {
        objects[record.number] = record
        model.put(record)
    }

    private mutating func header(
        _ number: UInt32, below parent: UInt32, _ numbers: inout SeededNumbers
    ) -> ObjectHeader {
        var token = model.highestName
        if token == 0 || numbers.happens(percent: 10) {
            token += 1
            names.append(("name \(token)", token))
            model.addName("name \(token)", token)
        }
        return ObjectHeader(
            number: number, parent: parent, kind: UInt8(numbers.below(4)),
            identifier: "object\(number)", classToken: token)
    }

    /// Bytes that no other pass contains.
    private var stamp: [UInt8] { withUnsafeBytes(of: time.littleEndian) { Array($0) } }

    private func values(_ numbers: inout SeededNumbers) -> ArraySlice<UInt8> {
        let count = numbers.happens(percent: 10) ? numbers.below(1500) : numbers.below(50)
        let seed = numbers.below(256)
        return (stamp + (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ seed) })[...]
    }
}
