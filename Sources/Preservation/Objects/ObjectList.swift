import ExactText
public import StateRestoration

/// Objects of one class that a program makes and lets go of while it runs, each under an identifier of its
/// own; ``RegisteredObjects/list(_:aliases:make:)`` makes it.
///
/// They lie below the list's path, as `sessions/7`. The list keeps them, and has them made again when they
/// are restored. It belongs to the application's actor.
public struct ObjectList<Object: StateRestoring> {
    private let list: ListObject

    /// Nil if the objects are of another class.
    init?(_ list: ListObject) {
        guard list.type == Object.self else { return nil }
        self.list = list
    }

    init(_ list: ListObject, of type: Object.Type) {
        self.list = list
    }

    /// The objects, in the order in which they were added.
    public var objects: [Object] { list.entries.compactMap { $0 as? Object } }

    /// The object of an identifier; nil if there is none.
    public subscript(identifier: String) -> Object? {
        list.entry(RestorationIdentifier(recorded: identifier)) as? Object
    }

    /// Adds an object.
    ///
    /// - Parameter identifier: 1 to 255 bytes without `/` (I5).
    /// - Returns: the object that was made for it.
    /// - Throws: `RestorationIdentifierError` if it cannot be an identifier, `RegistrationError` if another
    ///   object has it, what making the object throws, and ``ObjectListError`` if none was made.
    @discardableResult
    public func add(_ identifier: String) throws -> Object {
        let name = try RestorationIdentifier(validating: identifier)
        guard list.entry(name) == nil else { throw RegistrationError(identifier: name) }
        guard let object = try list.add(name) as? Object else {
            throw ObjectListError(
                list: "\(list.restoration.identifier?.text ?? "")", object: identifier)
        }
        return object
    }

    /// Lets an object go; what is saved of it goes, too.
    ///
    /// - Returns: it; nil if there was none.
    @discardableResult
    public func remove(_ identifier: String) -> Object? {
        list.remove(RestorationIdentifier(recorded: identifier)) as? Object
    }
}

/// A list's closure made no object for one that was to be added, or one that is in the list already.
public struct ObjectListError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The identifier of the list.
    public let list: String
    /// The identifier of the object.
    public let object: String

    /// One sentence.
    public var description: String {
        """
        The closure of the list "\(list)" returned no object for "\(object)": return one, or do \
        not add it.
        """
    }
}

/// The object that stands for a list in a scene. Its class is one for lists of all classes, so that what is
/// recorded does not depend on their names.
final class ListObject: StateRestoring {
    let restoration = RestorationNode()
    /// The class of the objects.
    let type: any StateRestoring.Type
    private let make: (String) throws -> (any StateRestoring)?
    /// The objects in their order.
    private(set) var entries: [any StateRestoring] = []
    private var byIdentifier: [RestorationIdentifier: any StateRestoring] = [:]

    init(of type: any StateRestoring.Type, make: @escaping (String) throws -> (any StateRestoring)?)
    {
        self.type = type
        self.make = make
    }

    func entry(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        byIdentifier[identifier]
    }

    func add(_ identifier: RestorationIdentifier) throws -> (any StateRestoring)? {
        guard let object = try make(identifier.text), !isListed(object) else { return nil }
        object.restoration.identifier = identifier
        // What an earlier version kept at its place gives way.
        object.invalidateRestorableState()
        entries.append(object)
        byIdentifier[identifier] = object
        restoration.invalidateStructure(.added(object))
        return object
    }

    private func isListed(_ object: any StateRestoring) -> Bool {
        object.restoration.identifier.map { byIdentifier[$0] === object } ?? false
    }

    func remove(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        guard let object = byIdentifier.removeValue(forKey: identifier) else { return nil }
        entries.removeAll { $0 === object }
        restoration.invalidateStructure(.removed(object))
        return object
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) { entries.forEach(body) }

    func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? {
        try entry(identifier) ?? add(identifier)
    }

    /// They were added in the order of their numbers.
    func applicationFinishedRestoringState() {
        entries.sort {
            $0.restoration.record.number.rawValue < $1.restoration.record.number.rawValue
        }
    }
}
