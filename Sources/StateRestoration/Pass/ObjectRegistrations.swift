/// Weak references to the objects that are registered with a scene, and to their parents (P12, I4).
final class ObjectRegistrations {
    private struct Entry {
        var link = ObjectLink()
        /// Link to the parent that the object returned most recently.
        var parentLink = WeakLink<RestorationNode>()

        var object: (any StateRestoring)? { link.object }
        var parent: RestorationNode? { parentLink.object }
    }

    private var entries: [Entry] = []
    private var indexesByIdentifier: [RestorationIdentifier: [Int]] = [:]
    /// Indexes in ``entries``, keyed by the parent's node.
    // Exclusivity checks are unnecessary, because no code outside the library runs during an access.
    @exclusivity(unchecked) private var indexesByParent: [ObjectIdentifier: [Int]] = [:]
    private var parentlessIndices: [Int] = []
    /// Link to the scene's records, used to ignore objects that are now registered in another scene.
    private var recordsLink = WeakLink<SceneRecords>()
    private var records: SceneRecords? { recordsLink.object }
    /// Value of ``SceneRecords/registeredIdentifierVersion`` for which ``indexesByIdentifier`` was built.
    private var indexedIdentifierVersion = 0
    /// Number of registrations so far.
    private(set) var registrationCount = 0

    /// Registered objects that still exist, in the order of registration.
    var objects: [any StateRestoring] { entries.indices.compactMap(object(at:)) }

    /// Registered objects without a parent.
    var roots: [any StateRestoring] { parentlessIndices.compactMap(object(at:)) }

    /// Returns whether registered objects may exist directly below the object with the given node.
    func hasObjects(below parent: RestorationNode) -> Bool {
        !indexesByParent.isEmpty && indexesByParent[ObjectIdentifier(parent)] != nil
    }

    /// Returns the registered objects directly below the object with the given node.
    func objects(below parent: RestorationNode) -> [any StateRestoring] {
        guard !indexesByParent.isEmpty, let indexes = indexesByParent[ObjectIdentifier(parent)]
        else { return [] }
        // The node that had this address during the last refresh may have been deallocated.
        return indexes.compactMap { entries[$0].parent === parent ? object(at: $0) : nil }
    }

    private func object(at index: Int) -> (any StateRestoring)? {
        entries[index].object.flatMap { $0.restoration.registrationRecords === records ? $0 : nil }
    }

    /// Registers an object under an identifier.
    ///
    /// - Throws: ``RegistrationError`` if another object is already registered at the same path (P12).
    func add(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        in records: SceneRecords
    ) throws(RegistrationError) {
        if let registrationRecords = object.restoration.registrationRecords,
            registrationRecords !== records
        {
            throw RegistrationError(identifier: identifier, isRegisteredElsewhere: true)
        }
        if indexedIdentifierVersion != records.registeredIdentifierVersion { indexIdentifiers() }
        defer { indexedIdentifierVersion = records.registeredIdentifierVersion }
        let parent = object.restorationParent?.restoration
        for index in indexesByIdentifier[identifier] ?? [] {
            guard let otherObject = entries[index].object, otherObject !== object,
                otherObject.restoration.identifier == identifier,
                otherObject.restorationParent?.restoration === parent
            else { continue }
            throw RegistrationError(identifier: identifier)
        }
        let knownIndex =
            object.restoration.registrationRecords === records
            ? entries.firstIndex { $0.object === object } : nil
        if knownIndex == nil {
            registrationCount += 1
            var entry = Entry()
            entry.link.object = object
            entries.append(entry)
        }
        if let knownIndex, let previousIdentifier = object.restoration.identifier {
            indexesByIdentifier[previousIdentifier]?.removeAll { $0 == knownIndex }
            if indexesByIdentifier[previousIdentifier]?.isEmpty == true {
                indexesByIdentifier[previousIdentifier] = nil
            }
        }
        object.restoration.registrationRecords = records
        object.restoration.identifier = identifier
        recordsLink.object = records
        indexesByIdentifier[identifier, default: []].append(knownIndex ?? entries.count - 1)
    }

    /// Updates the parents of all objects, and removes objects that no longer exist or are no longer registered.
    ///
    /// - Returns: The old and new parents of the objects whose parent has changed.
    @discardableResult
    func refresh() -> [RestorationNode] {
        records?.areRegistrationsOutdated = false
        if entries.indices.contains(where: { object(at: $0) == nil }) {
            entries.removeAll {
                $0.object?.restoration.registrationRecords !== records || $0.object == nil
            }
            indexIdentifiers()
        }
        indexesByParent = [:]
        parentlessIndices = []
        var changedParents: [RestorationNode] = []
        for index in entries.indices {
            let parent = entries[index].object?.restorationParent?.restoration
            if let parent {
                indexesByParent[ObjectIdentifier(parent), default: []].append(index)
            } else {
                parentlessIndices.append(index)
            }
            if parent !== entries[index].parent {
                changedParents += [entries[index].parent, parent].compactMap(\.self)
                entries[index].parentLink.object = parent
            }
        }
        return changedParents
    }

    private func indexIdentifiers() {
        indexesByIdentifier = [:]
        for index in entries.indices {
            if let identifier = entries[index].object?.restoration.identifier {
                indexesByIdentifier[identifier, default: []].append(index)
            }
        }
    }
}
