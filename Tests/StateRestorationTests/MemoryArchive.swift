import StateRecords
import StateRestoration
import Testing

/// An archive in memory that contains the newest record of each object.
final class MemoryArchive {
    private(set) var names: [UInt32: String] = [:]
    private(set) var records: [UInt32: ObjectRecord] = [:]
    private(set) var highestNumber: UInt32 = 0
    private var timestamp: Int64 = 0

    /// Applies the output of a pass, and records an issue for output that an archive would refuse.
    func write(_ pass: PassOutput) {
        for name in pass.names {
            #expect(names[name.number] == nil, "a name that was written before")
            names[name.number] = name.text
        }
        for record in pass.objects {
            let number = record.header.number
            // An archive returns large values in any order.
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
        if !pass.isEmpty { timestamp = pass.passMetadata.timestampMicroseconds }
    }

    /// Replaces the stored values of the object at a path.
    func replaceValues(at path: String, with bytes: [UInt8]) throws {
        let number = try #require(self.number(at: path))
        records[number]?.values = bytes[...]
    }

    /// Returns the stored record of the object at a path.
    func record(at path: String) throws -> ObjectRecord {
        let number = try #require(self.number(at: path))
        return try #require(records[number])
    }

    /// Stored scene, with parents before their children, or `nil` if nothing was written.
    var savedScene: SavedScene? {
        guard let scene = records.values.first(where: { $0.header.parent == 0 }) else {
            return nil
        }
        return SavedScene(
            RecordList([scene] + tree(below: scene.header.number)), timestamp: timestamp)
    }

    /// Sorted paths of all stored objects. A path that two objects have occurs twice.
    var paths: [String] {
        records.values.filter { $0.header.parent != 0 }.map(path).sorted()
    }

    /// Returns each stored object with its class and values, in a form for comparing two archives.
    func contents() throws -> [String] {
        try records.values.filter { $0.header.parent != 0 }.map { record in
            let values = try values(of: record).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            let className = names[record.header.classToken] ?? "?"
            return "\(path(record)) \(className) \(values.joined(separator: " "))"
        }.sorted()
    }

    /// Returns the stored values of the object at a path, keyed by name.
    func values(at path: String) throws -> [String: StoredValue] {
        let number = try #require(self.number(at: path))
        return try values(of: try #require(records[number]))
    }

    /// Returns the scene's own stored values, keyed by name.
    func sceneValues() throws -> [String: StoredValue] {
        let scene = records.values.first { $0.header.parent == 0 }
        return try values(of: try #require(scene))
    }

    /// Returns the number of the object at a path, or `nil` if no object is stored there.
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
    /// Returns a scene without objects.
    static func test(_ number: UInt32, values: [UInt8] = []) -> SavedScene {
        let header = ObjectHeader(number: number, parent: 0, kind: 0, identifier: "main")
        return SavedScene(
            RecordList([ObjectRecord(header: header, values: values[...])]), timestamp: 0)
    }

    /// Returns the scene after a change to the records of its objects.
    func changed(_ change: (inout [ObjectRecord]) -> Void) -> SavedScene {
        var objects = records.objects
        let scene = objects.removeFirst()
        change(&objects)
        return SavedScene(RecordList([scene] + objects), timestamp: timestamp)
    }
}
