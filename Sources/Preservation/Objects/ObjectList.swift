import ExactText
public import StateRestoration

/// A list of objects of one class that a program adds and removes while it runs, each under its own
/// identifier.
///
/// Create a list with ``RegisteredObjects/list(_:aliases:make:)``. The path of an object begins with the path
/// of the list, for example `sessions/7`. The list retains its objects and recreates them when they are
/// restored. Use the list only on the application's actor.
public struct ObjectList<Object: StateRestoring> {
    private let list: ListObject

    /// Creates a list, or returns `nil` if the objects have another class.
    init?(_ list: ListObject) {
        guard list.type == Object.self else { return nil }
        self.list = list
    }

    init(_ list: ListObject, of type: Object.Type) {
        self.list = list
    }

    /// The objects, in the order in which they were added.
    public var objects: [Object] { list.entries.compactMap { $0 as? Object } }

    /// The object with an identifier, or `nil` if there is no such object.
    public subscript(identifier: String) -> Object? {
        list.entry(RestorationIdentifier(recorded: identifier)) as? Object
    }

    /// Creates an object with the list's closure and adds it.
    ///
    /// - Parameter identifier: Identifier of the object: 1 to 255 bytes without `/` (I5).
    /// - Returns: The new object.
    /// - Throws: `RestorationIdentifierError` if the identifier is not valid. `RegistrationError` if another
    ///   object has the identifier. ``ObjectListError`` if the closure returns no object. Errors that the
    ///   closure throws.
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

    /// Removes an object and its saved state.
    ///
    /// - Returns: The removed object, or `nil` if there was no such object.
    @discardableResult
    public func remove(_ identifier: String) -> Object? {
        list.remove(RestorationIdentifier(recorded: identifier)) as? Object
    }
}

/// The error of a list whose closure returned no object, or an object that is already in the list.
public struct ObjectListError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Identifier of the list.
    public let list: String
    /// Identifier of the object.
    public let object: String

    /// Description of the mistake and its remedy, in one sentence.
    public var description: String {
        """
        The closure of the list "\(list)" returned no object for "\(object)": return one, or do \
        not add it.
        """
    }
}

/// Restorable object that represents a list in a scene.
///
/// Lists of all classes share this class, so that records do not depend on the names of the classes.
final class ListObject: StateRestoring {
    let restoration = RestorationNode()
    /// Class of the objects.
    let type: any StateRestoring.Type
    private let make: (String) throws -> (any StateRestoring)?
    /// Objects of the list, in order.
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
        // Invalidated so that the object replaces a record that an earlier version saved at its path.
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

    /// Sorts the objects by their record numbers, which is the order in which they were added.
    func applicationFinishedRestoringState() {
        entries.sort {
            $0.restoration.record.number.rawValue < $1.restoration.record.number.rawValue
        }
    }
}
