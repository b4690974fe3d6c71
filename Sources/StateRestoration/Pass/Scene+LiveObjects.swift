// Live objects of a scene, as the engine accesses them.
extension Scene {
    /// Root view controller of the window with the views in it, and registered objects without a parent (I4).
    var liveRoots: [any StateRestoring] {
        var roots: [any StateRestoring] = []
        if let root = delegate.restorationRoot {
            Self.visit(root) { roots.append($0) }
        }
        return roots + registrations.roots
    }

    /// Returns the objects whose paths are directly below an object's path, with or without identifiers.
    ///
    /// Nested views are flattened, because a view's path is its controller's path followed by its own
    /// identifier (I2, P11). Only registered objects can therefore be below a view.
    func liveChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        forEachLiveChild(of: object) { result.append($0) }
        let registered = registrations.objects(below: object.restoration)
        if registered.isEmpty { return result }
        return result + registered.filter { object in !result.contains { $0 === object } }
    }

    /// Calls a closure with each child that is not registered.
    func forEachLiveChild(of object: any StateRestoring, _ body: (any StateRestoring) -> Void) {
        if object.restorationKind == .view { return }
        object.forEachRestorationChild { Self.visit($0, body) }
    }

    /// Returns the existing objects that move below an object only when that object loads.
    ///
    /// Nested views are flattened as in ``liveChildren(of:)``.
    func waitingChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        object.forEachWaitingChild { Self.visit($0) { result.append($0) } }
        return result
    }

    /// Maximum nesting depth of views, which also ends the traversal of a view that contains itself.
    private static let maximumNestedViews = 512

    /// Calls a closure with an object and, if the object is a view, with the views in it.
    private static func visit(
        _ object: any StateRestoring, depth: Int = 0, _ body: (any StateRestoring) -> Void
    ) {
        body(object)
        if object.restorationKind == .view, depth < maximumNestedViews {
            object.forEachRestorationChild { visit($0, depth: depth + 1, body) }
        }
    }
}
