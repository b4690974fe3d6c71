import StateRestoration
import Testing

/// Holds what passes wrote as an archive does: the newest record of each object.
final class MemoryArchive {
    private(set) var names: [UInt32: String] = [:]
    private(set) var records: [UInt32: SavedRecord] = [:]
    private(set) var highestNumber: UInt32 = 0
    private var timestamp: Int64 = 0

    /// Takes a pass in. What an archive would refuse is an issue of the test.
    func write(_ pass: PassOutput) {
        for name in pass.names {
            #expect(names[name.number] == nil, "a name that was written before")
            names[name.number] = name.text
        }
        for record in pass.objects {
            let number = record.header.number.rawValue
            let values = pass.savedValues(of: record)
            // An archive gives large values in any order.
            records[number] = SavedRecord(
                header: record.header, values: values.together,
                outOfLine: values.outOfLine.reversed())
            highestNumber = max(highestNumber, number)
        }
        for header in pass.moves {
            let isKnown = records[header.number.rawValue] != nil
            #expect(isKnown, "\(header.identifier) moves and was never written")
            records[header.number.rawValue]?.header = header
        }
        for record in records.values where record.header.parent != .none {
            #expect(
                records[record.header.parent.rawValue] != nil,
                "\(record.header.identifier) stands below nothing")
        }
        for number in pass.removals {
            #expect(number != .none, "a removal that names no object")
            remove(number.rawValue)
        }
        if !pass.isEmpty { timestamp = pass.stamp.timestamp }
    }

    /// Changes the stored values of the object at a path.
    func replaceValues(at path: String, with bytes: [UInt8]) throws {
        let number = try #require(self.number(at: path))
        records[number]?.values = bytes[...]
    }

    /// The stored record of the object at a path.
    func record(at path: String) throws -> SavedRecord {
        let number = try #require(self.number(at: path))
        return try #require(records[number])
    }

    /// The stored scene, parents before their children; nil if nothing was written.
    var savedScene: SavedScene? {
        guard let scene = records.values.first(where: { $0.header.parent == .none }) else {
            return nil
        }
        return SavedScene(
            number: scene.header.number, values: scene.values, outOfLine: scene.outOfLine,
            timestamp: timestamp,
            records: tree(below: scene.header.number.rawValue))
    }

    /// The paths of all stored objects, sorted; two objects on one path appear twice.
    var paths: [String] {
        records.values.filter { $0.header.parent != .none }.map(path).sorted()
    }

    /// Every stored object with its class and values, as a person would compare two archives.
    func contents() throws -> [String] {
        try records.values.filter { $0.header.parent != .none }.map { record in
            let values = try values(of: record).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            let className = names[record.header.classToken] ?? "?"
            return "\(path(record)) \(className) \(values.joined(separator: " "))"
        }.sorted()
    }

    /// The stored values of the object at a path, by key.
    func values(at path: String) throws -> [String: Value] {
        let number = try #require(self.number(at: path))
        return try values(of: try #require(records[number]))
    }

    /// The scene's own stored values, by key.
    func sceneValues() throws -> [String: Value] {
        let scene = records.values.first { $0.header.parent == .none }
        return try values(of: try #require(scene))
    }

    /// The number of the object at a path; nil if none is stored there.
    func number(at path: String) -> UInt32? {
        records.first { $0.value.header.parent != .none && self.path($0.value) == path }?.key
    }

    private func values(of record: SavedRecord) throws -> [String: Value] {
        var values: [String: Value] = [:]
        for span in [record.values] + record.outOfLine {
            var reader = ValueReader(span)
            while !reader.isAtEnd {
                let number = UInt32(try reader.readVarint())
                let key = try #require(names[number])
                #expect(values[key] == nil, "a key is stored once")
                values[key] = try Value(reading: &reader) { number in
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

    private func path(_ record: SavedRecord) -> String {
        guard let parent = records[record.header.parent.rawValue], parent.header.parent != .none
        else { return record.header.identifier.text }
        return path(parent) + "/" + record.header.identifier.text
    }

    private func tree(below parent: UInt32) -> [SavedRecord] {
        records.values.filter { $0.header.parent.rawValue == parent }
            .sorted { $0.header.number.rawValue < $1.header.number.rawValue }
            .flatMap { [$0] + tree(below: $0.header.number.rawValue) }
    }

    private func remove(_ number: UInt32) {
        guard records.removeValue(forKey: number) != nil else { return }
        for record in records.values where record.header.parent.rawValue == number {
            remove(record.header.number.rawValue)
        }
    }
}
