import ExactText
public import StateRestoration

/// List of objects of one class. A program can add and remove objects while it is running.
///
/// Each object has its own identifier. The path of an object consists of the list's path and this identifier, such as
/// `sessions/7`. The list retains its objects and recreates them when they are restored. Use the list only on the
/// application's actor. To create a list, call ``RegisteredObjects/list(_:aliases:make:)``.
public struct ObjectList<Object: StateRestoring> {
    private let list: ListObject

    /// Creates a list, or returns `nil` if the list's objects have a different class.
    init?(_ list: ListObject) {
        guard list.objectType == Object.self else { return nil }
        self.list = list
    }

    init(_ list: ListObject, of type: Object.Type) {
        self.list = list
    }

    /// Objects in the list, in the order they were added.
    public var objects: [Object] { list.listedObjects.compactMap { $0 as? Object } }

    /// The object with the given identifier, or `nil` if the list does not contain one.
    public subscript(identifier: String) -> Object? {
        list.listedObject(RestorationIdentifier(recorded: identifier)) as? Object
    }

    /// Creates an object with the list's closure and adds it to the list.
    ///
    /// - Parameter identifier: The identifier of the object. It must consist of 1 to 255 bytes and must not contain `/`
    ///   (I5).
    /// - Returns: The new object.
    /// - Throws: `RestorationIdentifierError` if the identifier is not valid, `RegistrationError` if another object has
    ///   the identifier, ``ObjectListError`` if the closure does not return a new object, or an error that the closure
    ///   throws.
    @discardableResult
    public func add(_ identifier: String) throws -> Object {
        let name = try RestorationIdentifier(validating: identifier)
        guard list.listedObject(name) == nil else { throw RegistrationError(identifier: name) }
        guard let object = try list.add(name) as? Object else {
            throw ObjectListError(
                list: "\(list.restoration.identifier?.text ?? "")", object: identifier)
        }
        return object
    }

    /// Removes an object and its saved state.
    ///
    /// - Returns: The removed object, or `nil` if the list does not contain the object.
    @discardableResult
    public func remove(_ identifier: String) -> Object? {
        list.removeObject(RestorationIdentifier(recorded: identifier)) as? Object
    }
}

/// Error for a list whose closure returned no object or an object that is already in the list.
public struct ObjectListError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Identifier of the list.
    public let list: String
    /// Identifier of the object.
    public let object: String

    /// Sentence that describes the mistake and its remedy.
    public var description: String {
        """
        The closure of the list "\(list)" returned no object for "\(object)": return one, or do \
        not add it.
        """
    }
}

/// Restorable object that represents a list in a scene.
///
/// All lists use this class, so that records do not depend on the names of the objects' classes.
final class ListObject: StateRestoring {
    let restoration = RestorationNode()
    /// Class of the objects.
    let objectType: any StateRestoring.Type
    private let makeObject: (String) throws -> (any StateRestoring)?
    /// Objects in the list, in the list's order.
    private(set) var listedObjects: [any StateRestoring] = []
    private var objectsByIdentifier: [RestorationIdentifier: any StateRestoring] = [:]

    init(
        of objectType: any StateRestoring.Type,
        makeObject: @escaping (String) throws -> (any StateRestoring)?
    ) {
        self.objectType = objectType
        self.makeObject = makeObject
    }

    func listedObject(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        objectsByIdentifier[identifier]
    }

    func add(_ identifier: RestorationIdentifier) throws -> (any StateRestoring)? {
        guard let object = try makeObject(identifier.text), !isListed(object) else { return nil }
        object.restoration.identifier = identifier
        // The object is invalidated so that it replaces any record that an earlier version of the program saved at its
        // path.
        object.invalidateRestorableState()
        listedObjects.append(object)
        objectsByIdentifier[identifier] = object
        restoration.invalidateStructure(.added(object))
        return object
    }

    private func isListed(_ object: any StateRestoring) -> Bool {
        object.restoration.identifier.map { objectsByIdentifier[$0] === object } ?? false
    }

    func removeObject(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        guard let object = objectsByIdentifier.removeValue(forKey: identifier) else { return nil }
        listedObjects.removeAll { $0 === object }
        restoration.invalidateStructure(.removed(object))
        return object
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        listedObjects.forEach(body)
    }

    func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? {
        try listedObject(identifier) ?? add(identifier)
    }

    /// Sorts the objects by record number. This is the order in which they were added.
    func applicationFinishedRestoringState() {
        listedObjects.sort {
            $0.restoration.record.number.rawValue < $1.restoration.record.number.rawValue
        }
    }
}
