// The live objects of a scene as the engine sees them.
extension Scene {
    /// The window's root with the views in it, and registered objects without a parent (I4).
    var liveRoots: [any StateRestoring] {
        var roots: [any StateRestoring] = []
        if let root = delegate.restorationRoot {
            Self.visit(root) { roots.append($0) }
        }
        return roots + registrations.roots
    }

    /// The objects whose paths would lie directly below an object's, identified or not.
    ///
    /// Views are looked through: a view's path is its controller's plus its own identifier, however
    /// deep it lies in other views (I2, P11). So nothing but a registered object lies below a view.
    func liveChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        forEachLiveChild(of: object) { result.append($0) }
        let registered = registrations.objects(below: object.restoration)
        if registered.isEmpty { return result }
        return result + registered.filter { object in !result.contains { $0 === object } }
    }

    /// Hands over the children that are not registered.
    func forEachLiveChild(of object: any StateRestoring, _ body: (any StateRestoring) -> Void) {
        if object.restorationKind == .view { return }
        object.forEachRestorationChild { Self.visit($0, body) }
    }

    /// The objects that come to lie directly below an object when it is loaded, and are there
    /// before, looked through as in ``liveChildren(of:)``.
    func waitingChildren(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        object.forEachWaitingChild { Self.visit($0) { result.append($0) } }
        return result
    }

    /// How deep views lie in each other at most: a view that lies in itself ends here.
    private static let mostNestedViews = 512

    /// Hands over an object and, if it is a view, the views in it.
    private static func visit(
        _ object: any StateRestoring, depth: Int = 0, _ body: (any StateRestoring) -> Void
    ) {
        body(object)
        if object.restorationKind == .view, depth < mostNestedViews {
            object.forEachRestorationChild { visit($0, depth: depth + 1, body) }
        }
    }
}
