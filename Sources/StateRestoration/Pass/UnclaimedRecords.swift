import StateRecords

/// The records of a scene that no live object has claimed (R16): they stay in the archive, and go
/// when an object is saved at their place.
struct UnclaimedRecords {
    /// A record without an object.
    struct Entry {
        var header: ObjectHeader
        /// How many launches could not place it.
        var launches: Int
    }

    private var entries: [RecordPlace: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The numbers of all of them.
    var numbers: Set<RecordNumber> { Set(entries.values.lazy.map(\.header.recordNumber)) }

    /// How many launches could not place each record.
    var launches: [RecordNumber: Int] {
        Dictionary(
            entries.values.lazy.filter { $0.launches > 0 }.map {
                ($0.header.recordNumber, $0.launches)
            },
            uniquingKeysWith: { $1 })
    }

    mutating func insert(_ header: ObjectHeader, launches: Int) {
        entries[header.place] = Entry(header: header, launches: launches)
    }

    /// The record at a place.
    func entry(at place: RecordPlace) -> Entry? { entries[place] }

    /// Takes out the record at a place.
    mutating func claim(_ place: RecordPlace) -> Entry? {
        entries.removeValue(forKey: place)
    }

    /// Takes out the record of a number.
    ///
    /// - Returns: false if there is none.
    mutating func remove(numbered number: RecordNumber) -> Bool {
        guard let place = entries.first(where: { $0.value.header.recordNumber == number })?.key
        else {
            return false
        }
        entries[place] = nil
        return true
    }

    /// The records directly below one come to stand below another.
    ///
    /// - Returns: their new headers.
    mutating func move(below old: RecordNumber, to new: RecordNumber) -> [ObjectHeader] {
        entries.filter { $0.key.parent == old }.map { place, entry in
            var entry = entry
            entry.header.parent = new.rawValue
            entries[place] = nil
            entries[entry.header.place] = entry
            return entry.header
        }
    }

    /// Takes out every record below those that are removed, at any depth.
    ///
    /// - Returns: the identifiers of what was directly below them.
    mutating func removeAll(below removed: Set<RecordNumber>) -> [RestorationIdentifier] {
        takeAll(below: removed).filter { removed.contains($0.header.parentNumber) }
            .map(\.header.restorationIdentifier)
    }

    /// Takes out every record below some others, at any depth.
    mutating func takeAll(below numbers: Set<RecordNumber>) -> [Entry] {
        if entries.isEmpty { return [] }
        var numbers = numbers
        var taken: [Entry] = []
        while true {
            let next = entries.filter { numbers.contains($0.key.parent) }
            if next.isEmpty { return taken }
            for (place, entry) in next {
                entries[place] = nil
                numbers.insert(entry.header.recordNumber)
                taken.append(entry)
            }
        }
    }
}

/// Where a record stands: below which record, under which identifier.
struct RecordPlace: Hashable {
    var parent: RecordNumber
    var identifier: RestorationIdentifier
}
