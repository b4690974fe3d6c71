import StateRecords
import StateRestoration
import Testing

/// Holds what passes wrote as an archive does: the newest record of each object.
final class MemoryArchive {
    private(set) var names: [UInt32: String] = [:]
    private(set) var records: [UInt32: ObjectRecord] = [:]
    private(set) var highestNumber: UInt32 = 0
    private var timestamp: Int64 = 0

    /// Takes a pass in. What an archive would refuse is an issue of the test.
    func write(_ pass: PassOutput) {
        for name in pass.names {
            #expect(names[name.number] == nil, "a name that was written before")
            names[name.number] = name.text
        }
        for record in pass.objects {
            let number = record.header.number
            // An archive gives large values in any order.
            records[number] = ObjectRecord(
                header: record.header, values: record.values,
                outOfLine: record.outOfLine.reversed())
            highestNumber = max(highestNumber, number)
        }
        for header in pass.moves {
            let isKnown = records[header.number] != nil
            #expect(isKnown, "\(header.identifier) moves and was never written")
            records[header.number]?.header = header
        }
        for record in records.values where record.header.parent != 0 {
            #expect(
                records[record.header.parent] != nil,
                "\(record.header.identifier) stands below nothing")
        }
        for number in pass.removals {
            #expect(number != 0, "a removal that names no object")
            remove(number)
        }
        if !pass.isEmpty { timestamp = pass.stamp.microseconds }
    }

    /// Changes the stored values of the object at a path.
    func replaceValues(at path: String, with bytes: [UInt8]) throws {
        let number = try #require(self.number(at: path))
        records[number]?.values = bytes[...]
    }

    /// The stored record of the object at a path.
    func record(at path: String) throws -> ObjectRecord {
        let number = try #require(self.number(at: path))
        return try #require(records[number])
    }

    /// The stored scene, parents before their children; nil if nothing was written.
    var savedScene: SavedScene? {
        guard let scene = records.values.first(where: { $0.header.parent == 0 }) else {
            return nil
        }
        return SavedScene(
            RecordList([scene] + tree(below: scene.header.number)), timestamp: timestamp)
    }

    /// The paths of all stored objects, sorted; two objects on one path appear twice.
    var paths: [String] {
        records.values.filter { $0.header.parent != 0 }.map(path).sorted()
    }

    /// Every stored object with its class and values, as a person would compare two archives.
    func contents() throws -> [String] {
        try records.values.filter { $0.header.parent != 0 }.map { record in
            let values = try values(of: record).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            let className = names[record.header.classToken] ?? "?"
            return "\(path(record)) \(className) \(values.joined(separator: " "))"
        }.sorted()
    }

    /// The stored values of the object at a path, by key.
    func values(at path: String) throws -> [String: StoredValue] {
        let number = try #require(self.number(at: path))
        return try values(of: try #require(records[number]))
    }

    /// The scene's own stored values, by key.
    func sceneValues() throws -> [String: StoredValue] {
        let scene = records.values.first { $0.header.parent == 0 }
        return try values(of: try #require(scene))
    }

    /// The number of the object at a path; nil if none is stored there.
    func number(at path: String) -> UInt32? {
        records.first { $0.value.header.parent != 0 && self.path($0.value) == path }?.key
    }

    private func values(of record: ObjectRecord) throws -> [String: StoredValue] {
        var values: [String: StoredValue] = [:]
        for span in [record.values] + record.outOfLine.map(\.bytes) {
            var reader = ValueReader(span)
            while !reader.isAtEnd {
                let number = UInt32(try reader.readVarint())
                let key = try #require(names[number])
                #expect(values[key] == nil, "a key is stored once")
                values[key] = try StoredValue(reading: &reader) { number in
                    self.records[number.rawValue].map { record in
                        RestorationPath(
                            self.path(record).split(separator: "/").map {
                                RestorationIdentifier(recorded: String($0))
                            })
                    }
                }
            }
        }
        return values
    }

    private func path(_ record: ObjectRecord) -> String {
        guard let parent = records[record.header.parent], parent.header.parent != 0
        else { return record.header.identifier }
        return path(parent) + "/" + record.header.identifier
    }

    private func tree(below parent: UInt32) -> [ObjectRecord] {
        records.values.filter { $0.header.parent == parent }
            .sorted { $0.header.number < $1.header.number }
            .flatMap { [$0] + tree(below: $0.header.number) }
    }

    private func remove(_ number: UInt32) {
        guard records.removeValue(forKey: number) != nil else { return }
        for record in records.values where record.header.parent == number {
            remove(record.header.number)
        }
    }
}

extension SavedScene {
    /// A scene without objects.
    static func test(_ number: UInt32, values: [UInt8] = []) -> SavedScene {
        let header = ObjectHeader(number: number, parent: 0, kind: 0, identifier: "main")
        return SavedScene(
            RecordList([ObjectRecord(header: header, values: values[...])]), timestamp: 0)
    }

    /// The records of the objects, of which some are changed.
    func changed(_ change: (inout [ObjectRecord]) -> Void) -> SavedScene {
        var objects = records.objects
        let scene = objects.removeFirst()
        change(&objects)
        return SavedScene(RecordList([scene] + objects), timestamp: timestamp)
    }
}
