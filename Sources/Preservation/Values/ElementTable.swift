import DequeModule
import FoundationEssentials
import StateRestoration

/// Elements of a collection, including the changes made by an update in progress.
final class ElementTable<Element: Codable & Identifiable & Sendable>: ElementStore
where Element.ID: CustomStringConvertible & Sendable {
    /// State of an element before an update changed it.
    private struct StateBeforeEdit {
        let entry: StoredElement<Element>
        let element: Element?
        let position: Int
    }

    let elementTypeName: TypeName? = TypeName(Element.self)
    private var migrations: ValueMigrations<Element>
    private var entries: [RestorationIdentifier: StoredElement<Element>] = [:]
    /// Entries for the existing elements, in collection order if `isOrdered` is `true`.
    private var orderedEntries: Deque<StoredElement<Element>> = []
    private var isOrdered = true
    /// Highest position in the records that the launch could not restore, or `nil` if the launch restored all records.
    ///
    /// A later launch may restore these records. Elements that are appended have higher positions, so that the restored
    /// elements come before them.
    private var highestUnrestoredPosition: Int?
    private var edits: [StateBeforeEdit] = []
    private let indexes: [AnyKeyPath: any ElementIndex<Element>]
    /// Deadlines of the elements, or `nil` if the elements do not expire.
    private var deadlines: ElementDeadlines<StoredElement<Element>>?
    private var log = ElementLog(version: nextChangeNumber())
    /// First error in the update in progress, or `nil` if no error has occurred.
    private var updateError: RestorableValueError?

    init(
        migrations: [ValueMigration<Element>] = [], indexes: [CollectionIndex<Element>] = [],
        deadlines: ElementDeadlines<StoredElement<Element>>? = nil
    ) {
        self.migrations = ValueMigrations(migrations)
        self.indexes = Dictionary(
            indexes.map { ($0.keyPath, $0.makePropertyIndex()) }, uniquingKeysWith: { $1 })
        self.deadlines = deadlines
    }

    // MARK: Elements

    /// Number of elements.
    var count: Int {
        sortIfNeeded()
        return orderedEntries.count
    }

    /// Returns the element at the given index.
    subscript(index: Int) -> Element {
        sortIfNeeded()
        guard let element = orderedEntries[index].element else {
            preconditionFailure("a removed element is still listed")
        }
        return element
    }

    /// Returns the index of the element with the given `id`, or `nil` if there is no such element.
    func index(_ id: Element.ID) -> Int? { entry(id).map(index) }

    /// Returns the entry for the element with the given `id`, or `nil` if there is no such element.
    func entry(_ id: Element.ID) -> StoredElement<Element>? {
        // If the `id` is not a valid identifier, no entry exists.
        guard let name = try? RestorationIdentifier(element: id), let entry = entries[name],
            entry.element?.id == id
        else { return nil }
        return entry
    }

    /// Returns the first element whose property equals a value, or `nil` if no element matches.
    func first<Property: Hashable & Sendable>(
        where keyPath: KeyPath<Element, Property>, equals value: Property
    ) -> Element? {
        guard let index = indexes[keyPath] as? PropertyIndex<Element, Property> else {
            sortIfNeeded()
            return orderedEntries.lazy.compactMap(\.element).first {
                $0[keyPath: keyPath] == value
            }
        }
        sortIfNeeded()
        let matchingEntries = index.elements(equal: value)
        // If many elements match, one of the first elements usually does.
        let firstMatch = orderedEntries.prefix(matchingEntries.count).first {
            $0.element?[keyPath: keyPath] == value
        }
        return (firstMatch ?? matchingEntries.min { $0.position < $1.position })?.element
    }

    /// Returns the elements whose property equals a value, in order.
    func elements<Property: Hashable & Sendable>(
        where keyPath: KeyPath<Element, Property>, equals value: Property
    ) -> [Element] {
        sortIfNeeded()
        guard let index = indexes[keyPath] as? PropertyIndex<Element, Property> else {
            return orderedEntries.compactMap { entry in
                entry.element.flatMap { $0[keyPath: keyPath] == value ? $0 : nil }
            }
        }
        return index.elements(equal: value).sorted { $0.position < $1.position }
            .compactMap(\.element)
    }

    private func index(_ entry: StoredElement<Element>) -> Int {
        sortIfNeeded()
        var range = 0..<orderedEntries.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if orderedEntries[middle].position < entry.position {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// Returns the entries of the existing elements in collection order.
    func sortedEntries() -> Deque<StoredElement<Element>> {
        sortIfNeeded()
        return orderedEntries
    }

    private func sortIfNeeded() {
        if isOrdered { return }
        isOrdered = true
        let listedEntries = entries.values.filter { $0.element != nil }
        let order = ElementOrder.order(
            of: listedEntries.map { ($0.position, $0.restoration.record.number.rawValue) })
        orderedEntries = Deque(order.indices.lazy.map { listedEntries[$0] })
        if order.hasEqualPositions { respacePositions() }
    }

    // MARK: Following

    /// Version of the elements after the latest update, unique in this process.
    var version: Int { log.version }

    /// Returns the change since the given version, or `nil` if nothing has changed.
    ///
    /// - Parameter version: The version that the reader last received, or `nil` if it has not received any version.
    func change(since version: Int?) -> CollectionChange<Element>? {
        log.startLogging()
        if version == log.version { return nil }
        guard let version, let changes = log.changes(since: version) else {
            return .all((0..<count).map { self[$0] })
        }
        var removals: [ElementChange<Element>] = []
        var indexedChanges: [(index: Int, change: ElementChange<Element>)] = []
        for (name, previousState) in changes {
            guard let entry = entries[name], let element = entry.element else {
                if previousState.position != nil, let id = previousState.id as? Element.ID {
                    removals.append(.removed(id: id))
                }
                continue
            }
            let index = index(entry)
            if let id = previousState.id as? Element.ID, id != element.id {
                removals.append(.removed(id: id))
                indexedChanges.append((index, .inserted(element, at: index)))
                continue
            }
            switch previousState.position {
            case nil: indexedChanges.append((index, .inserted(element, at: index)))
            case entry.position:
                indexedChanges.append((index, .updated(element, at: index)))
            default: indexedChanges.append((index, .moved(element, to: index)))
            }
        }
        if removals.isEmpty, indexedChanges.isEmpty { return nil }
        indexedChanges.sort { $0.index < $1.index }
        return .elements(removals + indexedChanges.map(\.change))
    }

    // MARK: Changes

    /// Replaces, appends or removes the element with the given `id`.
    ///
    /// If the element exists, it is replaced, or removed if the new element is `nil`. Otherwise, the new element is
    /// appended.
    ///
    /// - Parameter entry: The entry for the element with the `id`, or `nil` if there is no such element.
    func set(_ element: Element?, for id: Element.ID, in entry: StoredElement<Element>?) {
        switch (entry, element) {
        case (nil, nil): break
        case (let entry?, nil): remove(entry)
        case (_, let element?) where element.id != element.id: recordUnequalId(element.id)
        case (_, let element?) where element.id != id:
            recordError(RestorableValueError(.elementIdentifierChanged, "\(id)", "\(element.id)"))
        case (let entry?, let element?):
            recordEdit(entry)
            setElement(element, of: entry)
        case (nil, let element?): insert(element, at: count)
        }
    }

    /// Inserts an element at the given index.
    func insert(_ element: Element, at index: Int) {
        guard (0...count).contains(index) else { return recordIndexError(index) }
        if element.id != element.id { return recordUnequalId(element.id) }
        let name: RestorationIdentifier
        do throws(RestorableValueError) {
            name = try RestorationIdentifier(element: element.id)
        } catch {
            return recordError(error)
        }
        if entries[name]?.element != nil {
            return recordError(RestorableValueError(.elementExists, name.text))
        }
        let entry = entries[name] ?? makeEntry(name)
        recordEdit(entry)
        setElement(element, of: entry)
        insert(entry, at: index)
    }

    /// Adds, replaces or removes an element, and updates the indexes and deadlines.
    private func setElement(_ element: Element?, of storedElement: StoredElement<Element>) {
        if !indexes.isEmpty {
            for index in indexes.values {
                if let element = storedElement.element { index.remove(storedElement, element) }
                if let element { index.insert(storedElement, element) }
            }
        }
        storedElement.element = element
        if element != nil, deadlines != nil {
            deadlines?.insert(storedElement, of: entries.values)
        }
    }

    /// Removes and returns the element with the given `id`, or returns `nil` if there is no such element.
    func remove(_ id: Element.ID) -> Element? {
        guard let entry = entry(id) else { return nil }
        defer { remove(entry) }
        return entry.element
    }

    /// Removes all elements that satisfy a predicate.
    func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
        sortIfNeeded()
        let removalFlags = try orderedEntries.map { entry in
            try entry.element.map(isRemoved) ?? false
        }
        guard removalFlags.contains(true) else { return }
        for (entry, isRemoved) in zip(orderedEntries, removalFlags) where isRemoved {
            recordEdit(entry)
            setElement(nil, of: entry)
        }
        orderedEntries.removeAll { $0.element == nil }
    }

    private func remove(_ entry: StoredElement<Element>) {
        recordEdit(entry)
        orderedEntries.remove(at: index(entry))
        setElement(nil, of: entry)
    }

    /// Moves the element with the given `id` to another index.
    func move(_ id: Element.ID, to index: Int) {
        guard let entry = entry(id) else {
            return recordError(RestorableValueError(.noSuchElement, "\(id)"))
        }
        guard (0..<count).contains(index) else { return recordIndexError(index) }
        recordEdit(entry)
        orderedEntries.remove(at: self.index(entry))
        insert(entry, at: index)
    }

    /// Sorts the elements. Elements that compare as equal keep their order.
    func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        sortIfNeeded()
        let sortItems = try (0..<count).map { (index: $0, element: self[$0]) }
            .sorted { left, right in
                if try areInIncreasingOrder(left.element, right.element) { return true }
                if try areInIncreasingOrder(right.element, left.element) { return false }
                return left.index < right.index
            }
        let sortedEntries = sortItems.map { orderedEntries[$0.index] }
        let unmovedIndices = ElementOrder.increasingIndices(
            of: sortedEntries.map(\.position))
        guard unmovedIndices.count < sortedEntries.count else { return }
        orderedEntries = Deque(sortedEntries)
        var start = 0
        for end in unmovedIndices + [sortedEntries.count] {
            guard setPositions(of: start..<end) else { return respacePositions() }
            start = end + 1
        }
    }

    private func insert(_ entry: StoredElement<Element>, at index: Int) {
        orderedEntries.insert(entry, at: index)
        if !setPositions(of: index..<(index + 1)) { respacePositions() }
    }

    /// Assigns new positions to the elements in a range, or returns `false` if there is no room between their
    /// neighbors.
    private func setPositions(of range: Range<Int>) -> Bool {
        if range.isEmpty { return true }
        let positionBefore =
            range.lowerBound > 0 ? orderedEntries[range.lowerBound - 1].position : nil
        let positionAfter =
            range.upperBound < orderedEntries.count
            ? orderedEntries[range.upperBound].position : nil
        // A damaged record can have a position that leaves no room above it. Such a record is ignored.
        let positionsAboveUnrestored =
            positionAfter == nil
            ? highestUnrestoredPosition.flatMap {
                ElementOrder.positions(
                    range.count, between: max(positionBefore ?? .min, $0), and: nil)
            } : nil
        guard
            let (first, gap) = positionsAboveUnrestored
                ?? ElementOrder.positions(
                    range.count, between: positionBefore, and: positionAfter)
        else { return false }
        for index in range {
            recordEdit(orderedEntries[index])
            orderedEntries[index].position = first + (index - range.lowerBound) * gap
        }
        return true
    }

    /// Assigns new positions to all elements, with large gaps between them.
    private func respacePositions() {
        // Positions near the maximum leave no room for the elements.
        let gap = ElementOrder.positionGap
        let start = min(highestUnrestoredPosition.map { $0 / gap + 1 } ?? 0, 1 << 30)
        for (index, entry) in orderedEntries.enumerated() {
            recordEdit(entry)
            entry.position = (start + index) * gap
        }
    }

    /// Records the state of an element before an update changes it for the first time.
    private func recordEdit(_ entry: StoredElement<Element>) {
        if entry.isEdited { return }
        edits.append(
            StateBeforeEdit(
                entry: entry, element: entry.element, position: entry.position))
        entry.isEdited = true
    }

    private func recordError(_ error: RestorableValueError) { updateError = updateError ?? error }

    /// Records the error for an `id` that does not equal itself, such as a floating-point number that is not a number.
    private func recordUnequalId(_ id: Element.ID) {
        recordError(
            RestorableValueError(
                .invalidIdentifier, "\(id)",
                """
                An element cannot have the id "\("\(id)".escapingControlCharacters)", because this id does not equal itself: use another id.
                """))
    }

    private func recordIndexError(_ index: Int) {
        recordError(
            RestorableValueError(.indexOutOfRange, "\(index)", countPhrase(count, "element")))
    }

    // MARK: Finishing an update

    /// Checks that all changes in an update are valid.
    ///
    /// - Throws: ``RestorableValueError`` for the first invalid change.
    func checkChanges() throws(RestorableValueError) {
        if let updateError { throw updateError }
    }

    /// Checks that all changes in a transaction are valid and that all changed elements can be saved.
    ///
    /// - Parameter identifier: The identifier of the collection.
    /// - Throws: ``RestorableValueError`` for the first change that is invalid or cannot be saved.
    func checkChanges(
        below identifier: RestorationIdentifier, _ trial: TrialEncoding
    ) throws(RestorableValueError) {
        try checkChanges()
        for edit in edits {
            guard let element = edit.entry.element else { continue }
            try trial.checkCanEncode(
                element, at: "\(identifier.text)/\(edit.entry.identifier.text)")
        }
    }

    private func logChanges() {
        if edits.isEmpty { return }
        let loggedEdits = log.isFollowed ? edits : []
        log.append(
            loggedEdits.map { edit in
                ElementLog.Entry(
                    identifier: edit.entry.identifier,
                    position: edit.element == nil ? nil : edit.position, id: edit.element?.id)
            }, version: nextChangeNumber())
    }

    /// Applies all changes in an update to the restorable objects. The changes must be valid.
    ///
    /// - Parameter collection: The object that represents the collection and is the parent of the elements' objects.
    func commit(below collection: CollectionObject) {
        logChanges()
        for edit in edits {
            let entry = edit.entry
            entry.isEdited = false
            switch (edit.element != nil, entry.element != nil) {
            case (false, true) where !entry.restoration.record.exists:
                // The object is invalidated so that it replaces any record that an earlier version of the program saved
                // at its path.
                entry.invalidateRestorableState()
                collection.restoration.invalidateStructure(.added(entry))
            case (_, true): entry.invalidateRestorableState()
            case (true, false):
                removeEntry(entry)
                collection.restoration.invalidateStructure(.removed(entry))
            case (false, false):
                if !entry.restoration.record.exists { removeEntry(entry) }
            }
        }
        edits = []
    }

    /// Reverts all changes in an update.
    func rollBack() {
        for edit in edits {
            setElement(edit.element, of: edit.entry)
            edit.entry.position = edit.position
            edit.entry.isEdited = false
        }
        for edit in edits where edit.element == nil {
            if !edit.entry.restoration.record.exists { removeEntry(edit.entry) }
        }
        isOrdered = isOrdered && edits.isEmpty
        edits = []
        updateError = nil
    }

    // MARK: Expiration

    func nextDeadline() -> Date? { deadlines?.earliestDeadline() }

    func removeExpiredElements(below collection: CollectionObject) {
        if deadlines == nil { return }
        var expiredEntries: [StoredElement<Element>] = []
        while let storedElement = deadlines?.popExpired() {
            if let entry = entries[storedElement.identifier] { expiredEntries.append(entry) }
        }
        if expiredEntries.isEmpty { return }
        if expiredEntries.count == 1 {
            remove(expiredEntries[0])
        } else {
            sortIfNeeded()
            for entry in expiredEntries {
                recordEdit(entry)
                setElement(nil, of: entry)
            }
            orderedEntries.removeAll { $0.element == nil }
        }
        commit(below: collection)
    }

    private func removeEntry(_ entry: StoredElement<Element>) { entries[entry.identifier] = nil }

    // MARK: Objects

    func forEachObject(_ body: (any StateRestoring) -> Void) {
        sortIfNeeded()
        for entry in orderedEntries { body(entry) }
        if entries.count == orderedEntries.count { return }
        for entry in entries.values where entry.element == nil { body(entry) }
    }

    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject {
        entries[identifier] ?? makeEntry(identifier)
    }

    func makeAliasObject(_ identifier: RestorationIdentifier, identifierRank: Int) -> ValueObject {
        StoredElement(identifier, in: self, identifierRank: identifierRank)
    }

    private func makeEntry(_ identifier: RestorationIdentifier) -> StoredElement<Element> {
        let entry = StoredElement(identifier, in: self)
        entries[identifier] = entry
        return entry
    }

    // MARK: Restoration

    var migrationCounts: [MigrationCount] { migrations.counts }

    /// Restores an element from its record.
    ///
    /// - Parameter identifierRank: The rank of the collection identifier under which the element was saved.
    func restore(
        _ recordedElement: StoredElement<Element>, from coder: StateDecoder, identifierRank: Int32
    ) throws {
        let recordedPosition: Int? = try coder.decode(forKey: StoredElement<Element>.positionKey)
        let earlierMigrations = migrations
        do {
            try restore(
                recordedElement, from: coder, at: recordedPosition, identifierRank: identifierRank)
        } catch {
            migrations = earlierMigrations
            if let recordedPosition {
                highestUnrestoredPosition = max(
                    highestUnrestoredPosition ?? recordedPosition, recordedPosition)
            }
            throw error
        }
    }

    /// Restores an element from its record.
    ///
    /// If an element with the same `id` has already been restored from a collection identifier with a lower rank, the
    /// record is ignored. A migration can change an element's `id`. The record then has a different identifier.
    private func restore(
        _ recordedElement: StoredElement<Element>, from coder: StateDecoder,
        at recordedPosition: Int?, identifierRank: Int32
    ) throws {
        guard let element = try migrations.value(from: coder) else {
            // If the record has no position either, the element could not be encoded when it was first saved.
            if recordedPosition != nil {
                throw RestorableValueError(.elementWithoutValue, recordedElement.identifier.text)
            }
            return
        }
        let position = recordedPosition ?? 0
        let name = try RestorationIdentifier(element: element.id)
        let existingEntry = entries[name]
        // If two records were restored as the same element, one of them would be lost without being reported. The
        // record with the element's own `id` has priority. All records have entries at this point.
        if let existingEntry, existingEntry !== recordedElement,
            identifierRank == 0 || identifierRank == existingEntry.restoredRank
        {
            throw RestorableValueError(.elementExists, name.text)
        }
        let entry = existingEntry ?? makeEntry(name)
        if entry !== recordedElement, entries[recordedElement.identifier] === recordedElement,
            recordedElement.element == nil
        {
            entries[recordedElement.identifier] = nil
        }
        guard identifierRank < entry.restoredRank else { return }
        entry.restoredRank = identifierRank
        setElement(element, of: entry)
        entry.position = position
        isOrdered = false
    }
}
