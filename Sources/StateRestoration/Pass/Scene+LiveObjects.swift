// Lists a scene's live objects for the engine.
extension Scene {
    /// Roots of the scene: the window's root object and the registered objects without a parent (I4).
    ///
    /// If the root object is a view, the views inside it are also roots.
    var liveRoots: [any StateRestoring] {
        var roots: [any StateRestoring] = []
        if let root = delegate.restorationRoot {
            Self.visit(root) { roots.append($0) }
        }
        return roots + registrations.roots
    }

    /// Updates the lists of registered objects if an object was registered or may have a new parent.
    ///
    /// Passes do this, too, but no pass may have run since then, for example because the delegate refuses to save (P1).
    func refreshRegistrations() {
        guard records.areRegistrationsOutdated else { return }
        for parent in registrations.refresh() { records.markStructure(parent) }
    }

    /// Returns the objects whose paths are directly below an object's path, with or without identifiers.
    ///
    /// Nested views are flattened, because a view's path is its controller's path followed by its own
    /// identifier (I2, P11). Only registered objects can therefore be below a view.
    func liveChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var children: [any StateRestoring] = []
        forEachLiveChild(of: object) { children.append($0) }
        let registeredObjects = registrations.objects(below: object.restoration)
        if registeredObjects.isEmpty { return children }
        return children
            + registeredObjects.filter { object in !children.contains { $0 === object } }
    }

    /// Calls a closure with each direct child of an object and, if the child is a view, with the views nested in it.
    func forEachLiveChild(of object: any StateRestoring, _ body: (any StateRestoring) -> Void) {
        if object.restorationKind == .view { return }
        object.forEachRestorationChild { Self.visit($0, body) }
    }

    /// Returns the existing objects that become children of an object only when that object loads its children.
    ///
    /// Nested views are flattened as in ``liveChildren(of:)``.
    func pendingChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var pendingChildren: [any StateRestoring] = []
        object.forEachPendingChild { Self.visit($0) { pendingChildren.append($0) } }
        return pendingChildren
    }

    /// Maximum nesting depth of views. It also ends the traversal of a view that contains itself.
    private static let maximumViewDepth = 512

    /// Calls a closure with an object and, if the object is a view, with the views inside it.
    private static func visit(
        _ object: any StateRestoring, depth: Int = 0, _ body: (any StateRestoring) -> Void
    ) {
        body(object)
        if object.restorationKind == .view, depth < maximumViewDepth {
            object.forEachRestorationChild { visit($0, depth: depth + 1, body) }
        }
    }
}
