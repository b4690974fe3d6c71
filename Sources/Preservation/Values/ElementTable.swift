import StateRestoration

/// The elements of a collection of one type, and what an update that runs has changed of them.
final class ElementTable<Element: Codable & Identifiable & Sendable>: ElementStore
where Element.ID: CustomStringConvertible & Sendable {
    /// An element with the object that is recorded for it.
    struct Entry {
        let object: ValueObject
        let content: StoredElement<Element>
    }

    /// An element as it was before a change.
    private struct Edit {
        let entry: Entry
        let element: Element?
        let place: Int
        /// Whether it is the first change of the element in the update.
        let isFirst: Bool
    }

    /// How far the places of elements lie apart that were added one behind the other.
    private let gap = 1 << 32
    private let migrations: [ValueMigration<Element>]
    private var entries: [RestorationIdentifier: Entry] = [:]
    /// The elements that are there, in their order, unless that is to be found out.
    private var ordered: [Entry] = []
    private var isOrdered = true
    private var edits: [Edit] = []
    /// The first thing that an update did wrong.
    private var refusal: RestorableValueError?

    init(migrations: [ValueMigration<Element>]) {
        self.migrations = migrations
    }

    // MARK: Elements

    /// How many elements there are.
    var count: Int {
        order()
        return ordered.count
    }

    /// The element at an index.
    subscript(index: Int) -> Element {
        order()
        guard let element = ordered[index].content.element else {
            preconditionFailure("a removed element is still listed")
        }
        return element
    }

    /// The index of the element of an identifier; nil if there is none.
    func index(_ id: Element.ID) -> Int? { entry(id).map(index) }

    /// The element of an identifier, with its object; nil if there is none.
    func entry(_ id: Element.ID) -> Entry? {
        // Nothing is recorded under an id that cannot be.
        guard let name = try? RestorationIdentifier(element: id), let entry = entries[name],
            entry.content.element?.id == id
        else { return nil }
        return entry
    }

    private func index(_ entry: Entry) -> Int {
        order()
        var range = 0..<ordered.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if ordered[middle].content.place < entry.content.place {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    private func order() {
        if isOrdered { return }
        isOrdered = true
        ordered = entries.values.filter { $0.content.element != nil }
        ordered.sort {
            ($0.content.place, $0.object.restoration.record.number.rawValue)
                < ($1.content.place, $1.object.restoration.record.number.rawValue)
        }
        let places = ordered.lazy.map(\.content.place)
        if zip(places, places.dropFirst()).contains(where: { $0 >= $1 }) { spread() }
    }

    // MARK: Changes

    /// Puts an element in place of the one of an identifier, adds it as the last one if there is none, or
    /// takes that one away.
    ///
    /// - Parameter entry: that of the identifier, if there is one.
    func set(_ element: Element?, for id: Element.ID, in entry: Entry?) {
        switch (entry, element) {
        case (nil, nil): break
        case (let entry?, nil): remove(entry)
        case (_, let element?) where element.id != id:
            refuse(RestorableValueError(.elementIdentifierChanged, "\(id)", "\(element.id)"))
        case (let entry?, let element?):
            note(entry)
            entry.content.element = element
        case (nil, let element?): insert(element, at: count)
        }
    }

    /// Adds an element.
    func insert(_ element: Element, at index: Int) {
        let name: RestorationIdentifier
        do throws(RestorableValueError) {
            name = try RestorationIdentifier(element: element.id)
        } catch {
            return refuse(error)
        }
        if entries[name]?.content.element != nil {
            return refuse(RestorableValueError(.elementExists, name.text))
        }
        let entry = entries[name] ?? makeEntry(name)
        note(entry)
        entry.content.element = element
        insert(entry, at: index)
    }

    /// Takes an element away.
    func remove(_ id: Element.ID) -> Element? {
        guard let entry = entry(id) else { return nil }
        defer { remove(entry) }
        return entry.content.element
    }

    private func remove(_ entry: Entry) {
        note(entry)
        ordered.remove(at: index(entry))
        entry.content.element = nil
    }

    /// Gives an element another index.
    func move(_ id: Element.ID, to index: Int) {
        guard let entry = entry(id) else { return }
        note(entry)
        ordered.remove(at: self.index(entry))
        insert(entry, at: index)
    }

    private func insert(_ entry: Entry, at index: Int) {
        order()
        if place(between: index) == nil { spread() }
        entry.content.place = place(between: index) ?? 0
        ordered.insert(entry, at: index)
    }

    /// A place between those of the elements before and behind an index; nil: there is no room.
    private func place(between index: Int) -> Int? {
        let before = index > 0 ? ordered[index - 1].content.place : nil
        let behind = index < ordered.count ? ordered[index].content.place : nil
        switch (before, behind) {
        case (nil, nil): return 0
        case (let before?, nil):
            let (place, isOver) = before.addingReportingOverflow(gap)
            return isOver ? nil : place
        case (nil, let behind?):
            let (place, isOver) = behind.subtractingReportingOverflow(gap)
            return isOver ? nil : place
        case (let before?, let behind?):
            let (distance, isOver) = behind.subtractingReportingOverflow(before)
            if isOver { return before / 2 + behind / 2 }
            return distance < 2 ? nil : before + distance / 2
        }
    }

    /// Gives all elements places that lie far apart.
    private func spread() {
        for (index, entry) in ordered.enumerated() {
            note(entry)
            entry.content.place = index * gap
        }
    }

    private func note(_ entry: Entry) {
        edits.append(
            Edit(
                entry: entry, element: entry.content.element, place: entry.content.place,
                isFirst: !entry.content.isChanging))
        entry.content.isChanging = true
    }

    private func refuse(_ error: RestorableValueError) { refusal = refusal ?? error }

    // MARK: The end of an update

    /// Tells the objects of what an update has changed, as one.
    ///
    /// - Parameter collection: the object that they lie below.
    /// - Throws: ``RestorableValueError`` if it did something wrong; nothing is told then.
    func commit(below collection: CollectionObject) throws(RestorableValueError) {
        if let refusal { throw refusal }
        for edit in edits where edit.isFirst {
            let object = edit.entry.object
            edit.entry.content.isChanging = false
            switch (edit.element != nil, edit.entry.content.element != nil) {
            case (false, true) where !object.restoration.record.exists:
                // What an earlier version kept at its place gives way.
                object.invalidateRestorableState()
                collection.restoration.invalidateStructure(.added(object))
            case (_, true): object.invalidateRestorableState()
            case (true, false):
                forget(edit.entry)
                collection.restoration.invalidateStructure(.removed(object))
            case (false, false):
                if !object.restoration.record.exists { forget(edit.entry) }
            }
        }
        edits = []
    }

    /// Takes back all that an update has changed.
    func rollBack() {
        for edit in edits.reversed() {
            edit.entry.content.element = edit.element
            edit.entry.content.place = edit.place
            edit.entry.content.isChanging = false
        }
        for edit in edits where edit.isFirst && edit.element == nil {
            if !edit.entry.object.restoration.record.exists { forget(edit.entry) }
        }
        isOrdered = isOrdered && edits.isEmpty
        edits = []
        refusal = nil
    }

    private func forget(_ entry: Entry) { entries[entry.content.identifier] = nil }

    // MARK: Objects

    func forEachObject(_ body: (any StateRestoring) -> Void) {
        order()
        for entry in ordered { body(entry.object) }
        if entries.count == ordered.count { return }
        for entry in entries.values where entry.content.element == nil { body(entry.object) }
    }

    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject {
        (entries[identifier] ?? makeEntry(identifier)).object
    }

    func makeEarlierObject(_ identifier: RestorationIdentifier, rank: Int) -> ValueObject {
        makeObject(identifier, rank: rank).object
    }

    private func makeEntry(_ identifier: RestorationIdentifier) -> Entry {
        let entry = makeObject(identifier, rank: 0)
        entries[identifier] = entry
        return entry
    }

    private func makeObject(_ identifier: RestorationIdentifier, rank: Int) -> Entry {
        let content = StoredElement(identifier, in: self)
        let object = ValueObject(content, rank: rank)
        object.restoration.identifier = identifier
        return Entry(object: object, content: content)
    }

    // MARK: Restoration

    /// Takes an element back, unless one of its `id` was taken from an identifier of the collection that
    /// goes before. A migration may have given it another `id` than it is recorded under.
    ///
    /// - Parameter rank: the place of the collection's identifier that it was saved below.
    fileprivate func restore(
        _ recorded: StoredElement<Element>, from coder: StateDecoder, rank: Int
    ) throws {
        guard let element = try migrations.value(from: coder) else { return }
        let place: Int = try coder.decode(forKey: StoredElement<Element>.placeKey) ?? 0
        let name = try RestorationIdentifier(element: element.id)
        let known = entries[name]?.content
        // Two records that became one element would be one loss that nobody is told of. The record under the
        // element's own id goes before; all have their entries by now.
        if let known, known !== recorded, rank == 0 || rank == known.restoredRank {
            throw RestorableValueError(.elementExists, name.text)
        }
        let content = known ?? makeEntry(name).content
        if content !== recorded, let entry = entries[recorded.identifier],
            entry.content === recorded,
            recorded.element == nil
        {
            entries[recorded.identifier] = nil
        }
        guard rank < content.restoredRank else { return }
        content.restoredRank = rank
        content.element = element
        content.place = place
        isOrdered = false
    }
}

/// An element of a collection as it is saved: its value, and its place among the others.
final class StoredElement<Element: Codable & Identifiable & Sendable>: ValueContent
where Element.ID: CustomStringConvertible & Sendable {
    fileprivate static var placeKey: StaticString { "place" }

    /// The identifier under which it is recorded.
    fileprivate let identifier: RestorationIdentifier
    private unowned let table: ElementTable<Element>
    /// The element; nil if it could not be decoded, or was removed.
    fileprivate(set) var element: Element?
    /// Tells its place among the others: the elements are in the order of these numbers.
    fileprivate var place = 0
    /// Whether the update that runs has changed it.
    fileprivate var isChanging = false
    /// The rank of the identifier of the collection that it was restored from.
    fileprivate var restoredRank = Int.max

    fileprivate init(_ identifier: RestorationIdentifier, in table: ElementTable<Element>) {
        self.identifier = identifier
        self.table = table
    }

    func encode(with coder: StateEncoder) {
        guard let element else { return }
        coder.encode(element, forKey: ValueObject.key)
        coder.encode(place, forKey: Self.placeKey)
    }

    func decode(with coder: StateDecoder, rank: Int) throws {
        try table.restore(self, from: coder, rank: rank)
    }
}

extension RestorationIdentifier {
    /// The identifier under which an element of a collection is recorded: its `id` as text, in which what
    /// an identifier may not have stands as `%` and two hexadecimal digits for each byte.
    ///
    /// - Throws: ``RestorableValueError`` if it has no bytes, or too many.
    fileprivate init(element id: some CustomStringConvertible) throws(RestorableValueError) {
        let text = id.description
        let isPlain = text.utf8.allSatisfy(Self.isPlain)
        if isPlain, (1...255).contains(text.utf8.count) {
            self.init(recorded: text)
            return
        }
        do throws(RestorationIdentifierError) {
            self = try RestorationIdentifier(validating: isPlain ? text : Self.escaped(text))
        } catch {
            throw RestorableValueError(
                .invalidIdentifier, text,
                """
                The id "\(text.prefix(32))" of an element of a collection cannot be recorded: as text it has \
                to have 1 to 255 bytes.
                """)
        }
    }

    /// Whether a byte is part of every identifier as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x7E: !"%/@~".utf8.contains(byte)
        default: false
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory != .control,
                !"%/@~".unicodeScalars.contains(scalar)
            {
                result.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
