import ExactText

/// A survey of all objects in a scene, whether preserved or not, with their addresses (P6).
///
/// An address is a restoration path in which an object without an identifier is represented by `@` and its storyboard
/// identifier, or by `@` and its class name if it has no storyboard identifier. If several siblings have the same
/// component, `~2` is appended to the second one, and so on.
package struct TreeSurvey {
    /// An object in the scene.
    package struct Entry {
        package let object: any StateRestoring
        /// Reason why the object is not preserved, or `nil` if it is preserved.
        package let omission: Omission?
        fileprivate let addressText: Substring
        fileprivate let scene: Scene

        /// Address of the object.
        package var address: String { String(addressText) }
        /// Name under which the object's class is recorded.
        package var classToken: String { scene.classes.token(for: type(of: object)) }
    }

    /// The existing objects along an address, beginning with a root.
    package struct ObjectsOnPath {
        package internal(set) var entries: [Entry] = []
        /// Whether the last object is the object at the address.
        package internal(set) var isComplete = false
    }

    /// Reason why an object is not preserved.
    package enum Omission: Sendable, Equatable, CustomStringConvertible {
        /// The object has no identifier (I1).
        case noIdentifier
        /// An object above this object has no identifier (P6).
        case ancestorWithoutIdentifier(address: String)
        /// An object above this object has an identifier, but is not preserved.
        case ancestorOmitted(address: String)
        /// A sibling with the same identifier is preserved instead (I3).
        case siblingHasSameIdentifier
        /// The object's path is too long (I2).
        case pathTooLong
        /// The application does not save state (P1).
        case applicationDoesNotSave
        /// The saved state at the path could not be restored to the object, and is retained until the object changes
        /// (R16).
        case unrestored
        /// No pass has reached the object yet.
        case notYetSaved

        package var description: String {
            switch self {
            case .noIdentifier: "it has no restoration identifier"
            case .ancestorWithoutIdentifier(let address):
                "\(address), above it, has no restoration identifier"
            case .ancestorOmitted(let address): "\(address), above it, is not preserved"
            case .siblingHasSameIdentifier:
                "a sibling with the same restoration identifier is preserved instead"
            case .pathTooLong:
                "its path has more than \(RestorationPath.maximumBytes) bytes"
            case .applicationDoesNotSave: "the application does not save its state"
            case .unrestored:
                "state saved at its path could not be restored to it, and is retained until it changes"
            case .notYetSaved: "no pass has reached it yet"
            }
        }
    }

    private let scene: Scene

    package init(_ scene: Scene) {
        self.scene = scene
    }

    /// Returns all objects, parents first.
    package func entries() -> [Entry] {
        scene.refreshRegistrations()
        var entries: [Entry] = []
        var visitedObjects: Set<ObjectIdentifier> = []
        collectEntries(
            scene.liveRoots, parentAddress: "", ancestorOmission: nil,
            visitedObjects: &visitedObjects, into: &entries)
        return entries
    }

    /// Returns the object at an address, or `nil` if there is none.
    ///
    /// Controllers along the path load their views, so that commands can act on objects that have never been shown.
    package func object(at address: String) -> (any StateRestoring)? {
        let objectsOnPath = objectsOnPath(to: address)
        return objectsOnPath.isComplete ? objectsOnPath.entries.last?.object : nil
    }

    /// Returns the existing objects along an address, beginning with a root.
    ///
    /// - Parameter loadsViews: Whether to load views along the path. This is necessary for commands that act on an
    ///   object. Commands that only read must not load views, because loading would change what is preserved (P21).
    package func objectsOnPath(to address: String, loadsViews: Bool = true) -> ObjectsOnPath {
        if var indexedObjects = scene.indexedObjects(at: address)?[...] {
            let objectsOnPath = objectsOnPath(to: address, loadsViews: loadsViews) { _, _ in
                indexedObjects.popFirst()
            }
            // Loading a view may have changed the structure.
            if !loadsViews || scene.canUsePathIndex { return objectsOnPath }
        }
        let objectsOnPath = objectsOnPath(to: address, loadsViews: loadsViews) { component, level in
            find(String(component), in: level)
        }
        if objectsOnPath.isComplete {
            scene.index(objectsOnPath.entries.map(\.object), at: address)
        }
        return objectsOnPath
    }

    /// Returns the existing objects along an address.
    ///
    /// - Parameter find: A closure that returns the object with a name in a level, or `nil` if there is none. It is
    ///   called once for each component of the address, beginning with the root's component.
    private func objectsOnPath(
        to address: String, loadsViews: Bool, find: (Substring, Level) -> (any StateRestoring)?
    ) -> ObjectsOnPath {
        var objectsOnPath = ObjectsOnPath()
        var level = Level.roots
        var ancestorOmission: Omission?
        var componentStart = address.startIndex
        while true {
            // Loading a view may have registered objects.
            scene.refreshRegistrations()
            let slashIndex = address.utf8[componentStart...].firstIndex(of: UInt8(ascii: "/"))
            let componentEnd = slashIndex ?? address.endIndex
            guard let object = find(address[componentStart..<componentEnd], level)
            else { return objectsOnPath }
            let entry = entry(
                of: object, address[..<componentEnd], ancestorOmission: ancestorOmission)
            objectsOnPath.entries.append(entry)
            ancestorOmission = ancestorOmission ?? inheritedOmission(below: entry)
            if loadsViews {
                scene.records.isSearching = true
                object.loadRestorationChildren()
                scene.records.isSearching = false
            }
            level = .children(of: object, includingPendingChildren: !loadsViews)
            guard let slashIndex else { break }
            componentStart = address.utf8.index(after: slashIndex)
        }
        objectsOnPath.isComplete = true
        return objectsOnPath
    }

    /// Returns the address of an object, or `nil` if the object is not in the scene.
    package func address(of object: any StateRestoring) -> String? {
        entries().first { $0.object === object }?.address
    }

    private func collectEntries(
        _ objects: [any StateRestoring], parentAddress: String, ancestorOmission: Omission?,
        visitedObjects: inout Set<ObjectIdentifier>, into result: inout [Entry]
    ) {
        for (component, object) in Self.addressComponents(objects, scene.classes) {
            // An object that contains itself is listed once.
            guard visitedObjects.insert(ObjectIdentifier(object)).inserted else { continue }
            let address = parentAddress.isEmpty ? component : "\(parentAddress)/\(component)"
            let entry = entry(of: object, address[...], ancestorOmission: ancestorOmission)
            result.append(entry)
            collectEntries(
                scene.liveChildren(of: object), parentAddress: address,
                ancestorOmission: ancestorOmission ?? inheritedOmission(below: entry),
                visitedObjects: &visitedObjects, into: &result)
        }
    }

    /// Returns the reason why nothing below an object can be preserved, or `nil` if the object is no obstacle.
    private func inheritedOmission(below entry: Entry) -> Omission? {
        if entry.object.restoration.blocksDescendants(entry.object.restorationKind) {
            return .ancestorWithoutIdentifier(address: entry.address)
        }
        switch entry.omission {
        case .siblingHasSameIdentifier, .pathTooLong:
            return .ancestorOmitted(address: entry.address)
        case .noIdentifier, .ancestorWithoutIdentifier, .ancestorOmitted, .applicationDoesNotSave,
            .unrestored,
            .notYetSaved, nil:
            return nil
        }
    }

    /// Creates the entry for an object.
    ///
    /// - Parameter ancestorOmission: The reason why nothing below an ancestor can be preserved, or `nil` if no ancestor
    ///   is an obstacle.
    private func entry(
        of object: any StateRestoring, _ address: Substring, ancestorOmission: Omission?
    ) -> Entry {
        Entry(
            object: object, omission: omission(of: object, ancestorOmission: ancestorOmission),
            addressText: address, scene: scene)
    }

    private func omission(of object: any StateRestoring, ancestorOmission: Omission?) -> Omission? {
        let node = object.restoration
        if node.identifier == nil { return .noIdentifier }
        if node.record.exists, node.records === scene.records {
            return node.record.isUnrestored ? .unrestored : nil
        }
        if let ancestorOmission { return ancestorOmission }
        switch node.record.omission {
        case .pathTooLong: return .pathTooLong
        case .siblingHasSameIdentifier: return .siblingHasSameIdentifier
        case nil: break
        }
        return scene.records.needsFullPass ? .applicationDoesNotSave : .notYetSaved
    }

    private static func addressComponents(
        _ objects: [any StateRestoring], _ classes: ClassRegistry
    ) -> [(component: String, object: any StateRestoring)] {
        var counts: [RestorationIdentifier: Int] = [:]
        var components: [(component: String, object: any StateRestoring)] = []
        for object in sortedPreservedFirst(objects) {
            guard let name = name(of: object, classes) else { continue }
            let key = RestorationIdentifier(recorded: name)
            let count = counts[key, default: 0] + 1
            counts[key] = count
            components.append((count == 1 ? name : "\(name)~\(count)", object))
        }
        return components
    }

    /// One level of the object tree: the roots, or the objects directly below an object.
    private enum Level {
        case roots
        /// The objects directly below an object, optionally including objects that become its children only when it
        /// loads them.
        case children(of: any StateRestoring, includingPendingChildren: Bool)
    }

    private func objects(in level: Level) -> [any StateRestoring] {
        switch level {
        case .roots: scene.liveRoots
        case .children(let object, includingPendingChildren: false): scene.liveChildren(of: object)
        case .children(let object, includingPendingChildren: true):
            scene.liveChildren(of: object) + scene.pendingChildren(of: object)
        }
    }

    /// Calls a closure with each object in a level, in order. An object may occur more than once.
    private func forEach(in level: Level, _ body: (any StateRestoring) -> Void) {
        switch level {
        case .roots:
            scene.liveRoots.forEach(body)
        case .children(let object, let includesPendingChildren):
            scene.forEachLiveChild(of: object, body)
            if scene.registrations.hasObjects(below: object.restoration) {
                for object in scene.registrations.objects(below: object.restoration) {
                    body(object)
                }
            }
            if includesPendingChildren {
                for object in scene.pendingChildren(of: object) { body(object) }
            }
        }
    }

    /// Returns the object to which ``addressComponents(_:_:)`` would assign a component, without computing the names of
    /// all objects.
    private func find(_ component: String, in level: Level) -> (any StateRestoring)? {
        // The suffix in "name~2" identifies the second object with that name. The first object has no suffix.
        let tildeIndex = component.utf8.lastIndex(of: UInt8(ascii: "~")) ?? component.endIndex
        let ordinal = Int(component[tildeIndex...].dropFirst()) ?? 1
        let isNumbered =
            ordinal > 1 && "~\(ordinal)".utf8.elementsEqual(component[tildeIndex...].utf8)
        if isNumbered {
            return find(component, named: String(component[..<tildeIndex]), ordinal, in: level)
        }
        var preservedMatch: (any StateRestoring)?
        // An object that lost its path to a sibling (I3) is found only if no other object has the name.
        var omittedMatch: (any StateRestoring)?
        forEach(in: level) { object in
            guard preservedMatch == nil, isNamed(object, component) else { return }
            if !object.restoration.isReplacedBySibling {
                preservedMatch = object
            } else if omittedMatch == nil {
                omittedMatch = object
            }
        }
        return preservedMatch ?? omittedMatch
    }

    /// Returns the first object that is named `name` or that has the given number among the objects named
    /// `repeatedName`.
    private func find(
        _ name: String, named repeatedName: String, _ number: Int, in level: Level
    ) -> (any StateRestoring)? {
        var matchCount = 0
        for object in Self.sortedPreservedFirst(objects(in: level)) {
            if isNamed(object, name) { return object }
            if isNamed(object, repeatedName) { matchCount += 1 }
            if matchCount == number { return object }
        }
        return nil
    }

    /// Returns whether an object has the given name. The name must not include a number.
    private func isNamed(_ object: any StateRestoring, _ name: String) -> Bool {
        if let identifier = object.restoration.identifier { return identifier.text == name }
        // Only names of objects without identifiers begin with "@" (I5).
        guard name.utf8.first == UInt8(ascii: "@") else { return false }
        return Self.name(of: object, scene.classes) == name
    }

    /// Returns siblings in their original order, except that omitted objects come last.
    ///
    /// An omitted object has lost its path to a sibling with the same identifier (I3). In this order, the address
    /// without a number belongs to the preserved sibling.
    private static func sortedPreservedFirst(
        _ objects: [any StateRestoring]
    ) -> [any StateRestoring] {
        guard objects.count > 1, objects.contains(where: \.restoration.isReplacedBySibling) else {
            return objects
        }
        return objects.filter { !$0.restoration.isReplacedBySibling }
            + objects.filter(\.restoration.isReplacedBySibling)
    }

    /// Returns the name of an object, or `nil` if the object is only part of another object and is not listed.
    private static func name(of object: any StateRestoring, _ classes: ClassRegistry) -> String? {
        let node = object.restoration
        if let identifier = node.identifier { return identifier.text }
        if let storyboard = node.storyboard { return "@" + storyboard.identifier }
        guard object.isListedByClass else { return nil }
        return "@" + classes.token(for: type(of: object))
    }
}

extension RestorationNode {
    /// Whether the object has lost its path to a sibling with the same identifier (I3).
    fileprivate var isReplacedBySibling: Bool { record.omission == .siblingHasSameIdentifier }

    /// Returns whether the object prevents everything below it from being preserved.
    ///
    /// The result is `true` for an object that has no identifier and is not a view (P6, P11).
    fileprivate func blocksDescendants(_ kind: RestorationKind) -> Bool {
        identifier == nil && kind != .view
    }
}
