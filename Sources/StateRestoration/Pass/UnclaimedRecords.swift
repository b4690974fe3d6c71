import StateRecords

/// A scene's records that no live object has claimed (R16).
///
/// An unclaimed record remains in the archive until an object is saved at its position, the object above it is removed,
/// or too many launches have failed to assign the record.
struct UnclaimedRecords {
    /// An unclaimed record.
    struct Entry {
        var header: ObjectHeader
        /// Number of launches that failed to assign the record to an object.
        var failedLaunchCount: Int
    }

    private var entries: [RecordPosition: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Numbers of all unclaimed records.
    var recordNumbers: Set<RecordNumber> { Set(entries.values.lazy.map(\.header.recordNumber)) }

    /// For each record, the number of launches that failed to assign it to an object.
    ///
    /// Records without failed launches are omitted.
    var failedLaunchCounts: [RecordNumber: Int] {
        Dictionary(
            entries.values.lazy.filter { $0.failedLaunchCount > 0 }.map {
                ($0.header.recordNumber, $0.failedLaunchCount)
            },
            uniquingKeysWith: { $1 })
    }

    mutating func insert(_ header: ObjectHeader, failedLaunchCount: Int) {
        entries[header.position] = Entry(header: header, failedLaunchCount: failedLaunchCount)
    }

    /// Returns the record at a position, or `nil` if there is none.
    func entry(at position: RecordPosition) -> Entry? { entries[position] }

    /// Removes and returns the record at a position, or returns `nil` if there is none.
    mutating func claim(_ position: RecordPosition) -> Entry? {
        entries.removeValue(forKey: position)
    }

    /// Returns whether the record with the given number is unclaimed.
    func contains(_ number: RecordNumber) -> Bool {
        entries.values.contains { $0.header.recordNumber == number }
    }
    /// Removes the record with the given number.
    ///
    /// - Returns: `false` if there is no such record.
    mutating func remove(numbered number: RecordNumber) -> Bool {
        guard let position = entries.first(where: { $0.value.header.recordNumber == number })?.key
        else {
            return false
        }
        entries[position] = nil
        return true
    }

    /// Moves the records directly below one record to free positions below another record.
    ///
    /// A record whose new position is not free is dropped, together with the records below it. The archive removes
    /// these records when it removes the old parent.
    ///
    /// - Parameter occupiedIdentifiers: The identifiers of the recorded objects below the new parent.
    /// - Returns: The new headers.
    mutating func move(
        below oldParent: RecordNumber, to newParent: RecordNumber,
        except occupiedIdentifiers: Set<RestorationIdentifier>
    ) -> [ObjectHeader] {
        entries.filter { $0.key.parent == oldParent }.compactMap { position, entry in
            var entry = entry
            entry.header.parent = newParent.rawValue
            entries[position] = nil
            guard !occupiedIdentifiers.contains(position.identifier),
                entries[entry.header.position] == nil
            else {
                _ = popAll(below: [entry.header.recordNumber])
                return nil
            }
            entries[entry.header.position] = entry
            return entry.header
        }
    }

    /// Removes all descendants of records that have been removed.
    ///
    /// - Returns: The identifiers of the direct children, keyed by the number of the removed record.
    mutating func removeAll(
        below removedNumbers: Set<RecordNumber>
    ) -> [RecordNumber: [RestorationIdentifier]] {
        let topmostEntries = popAll(below: removedNumbers).filter {
            removedNumbers.contains($0.header.parentNumber)
        }
        return Dictionary(grouping: topmostEntries) { $0.header.parentNumber }
            .mapValues { $0.map(\.header.restorationIdentifier) }
    }

    /// Removes and returns all records below the given records, at any depth.
    mutating func popAll(below numbers: Set<RecordNumber>) -> [Entry] {
        if entries.isEmpty { return [] }
        var numbers = numbers
        var poppedEntries: [Entry] = []
        while true {
            let nextEntries = entries.filter { numbers.contains($0.key.parent) }
            if nextEntries.isEmpty { return poppedEntries }
            for (position, entry) in nextEntries {
                entries[position] = nil
                numbers.insert(entry.header.recordNumber)
                poppedEntries.append(entry)
            }
        }
    }
}

/// Position of a record, defined by the record number of the parent and the identifier of the record's object.
struct RecordPosition: Hashable {
    var parent: RecordNumber
    var identifier: RestorationIdentifier
}
