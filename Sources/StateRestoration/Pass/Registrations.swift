/// The registered objects of a scene, each kept weakly, and what they lie below (P12, I4).
final class Registrations {
    private struct Entry {
        weak var object: (any StateRestoring)?
        /// The parent that the object had when it was asked last.
        weak var parent: RestorationNode?
    }

    private var entries: [Entry] = []
    private var indexes: [RestorationIdentifier: [Int]] = [:]
    /// Places in ``entries`` by the node of the parent.
    // Asked for each object; no code of others runs while it is read or written.
    @exclusivity(unchecked) private var below: [ObjectIdentifier: [Int]] = [:]
    private var parentless: [Int] = []
    /// The scene's bookkeeping: an object that is registered elsewhere now is none of these.
    private weak var records: SceneRecords?
    /// What tells whether ``indexes`` are those of the objects' identifiers.
    private var identifiersKnown = 0
    /// How often an object was registered.
    private(set) var count = 0

    /// The registered objects that are still alive, in the order of their registration.
    var objects: [any StateRestoring] { entries.indices.compactMap(object(at:)) }

    /// Those that have no parent.
    var roots: [any StateRestoring] { parentless.compactMap(object(at:)) }

    /// Whether there may be some whose parent is the object of this node.
    func hasObjects(below parent: RestorationNode) -> Bool {
        !below.isEmpty && below[ObjectIdentifier(parent)] != nil
    }

    /// Those whose parent is the object of this node.
    func objects(below parent: RestorationNode) -> [any StateRestoring] {
        guard !below.isEmpty, let indexes = below[ObjectIdentifier(parent)] else { return [] }
        // The node that stood at this address when they were asked may be gone.
        return indexes.compactMap { entries[$0].parent === parent ? object(at: $0) : nil }
    }

    private func object(at index: Int) -> (any StateRestoring)? {
        entries[index].object.flatMap { $0.restoration.registry === records ? $0 : nil }
    }

    /// Adds an object under an identifier.
    ///
    /// - Throws: ``RegistrationError`` if another object is registered under that path (P12).
    func add(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        in records: SceneRecords
    ) throws(RegistrationError) {
        if let registry = object.restoration.registry, registry !== records {
            throw RegistrationError(identifier: identifier, isRegisteredElsewhere: true)
        }
        if identifiersKnown != records.registeredIdentifiers { indexIdentifiers() }
        defer { identifiersKnown = records.registeredIdentifiers }
        let parent = object.restorationParent?.restoration
        for index in indexes[identifier] ?? [] {
            guard let other = entries[index].object, other !== object,
                other.restoration.identifier == identifier,
                other.restorationParent?.restoration === parent
            else { continue }
            throw RegistrationError(identifier: identifier)
        }
        let known =
            object.restoration.registry === records
            ? entries.firstIndex { $0.object === object } : nil
        if known == nil {
            count += 1
            entries.append(Entry(object: object, parent: nil))
        }
        object.restoration.registry = records
        object.restoration.identifier = identifier
        self.records = records
        let index = known ?? entries.count - 1
        if indexes[identifier]?.contains(index) != true {
            indexes[identifier, default: []].append(index)
        }
    }

    /// Asks every object for its parent.
    ///
    /// - Returns: the parents, before and now, of those that have another one.
    @discardableResult
    func refresh() -> [RestorationNode] {
        if entries.indices.contains(where: { object(at: $0) == nil }) {
            entries.removeAll { $0.object?.restoration.registry !== records || $0.object == nil }
            indexIdentifiers()
        }
        below = [:]
        parentless = []
        var changed: [RestorationNode] = []
        for index in entries.indices {
            let parent = entries[index].object?.restorationParent?.restoration
            if let parent {
                below[ObjectIdentifier(parent), default: []].append(index)
            } else {
                parentless.append(index)
            }
            if parent !== entries[index].parent {
                changed += [entries[index].parent, parent].compactMap(\.self)
                entries[index].parent = parent
            }
        }
        return changed
    }

    private func indexIdentifiers() {
        indexes = [:]
        for index in entries.indices {
            if let identifier = entries[index].object?.restoration.identifier {
                indexes[identifier, default: []].append(index)
            }
        }
    }
}

/// An identifier that a registered object has already (P12).
public struct RegistrationError: Error, CustomStringConvertible {
    /// The identifier.
    public let identifier: RestorationIdentifier
    /// Whether the object is registered with another scene; else another object has its path.
    public let isRegisteredElsewhere: Bool

    package init(identifier: RestorationIdentifier, isRegisteredElsewhere: Bool = false) {
        self.identifier = identifier
        self.isRegisteredElsewhere = isRegisteredElsewhere
    }

    /// One sentence naming the identifier.
    public var description: String {
        isRegisteredElsewhere
            ? "the object to be registered as \"\(identifier)\" is registered with another scene: "
                + "register one of each scene's own"
            : "another object is registered as \"\(identifier)\": register this one under another identifier"
    }
}
