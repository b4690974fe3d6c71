/// The live objects of a scene as the engine sees them.
struct LiveTree {
    private let scene: Scene

    init(_ scene: Scene) {
        self.scene = scene
    }

    /// The objects that lie below no other: the window's root with the views in it, and registered
    /// objects without a parent (I4).
    var roots: [any StateRestoring] {
        var roots: [any StateRestoring] = []
        if let root = scene.delegate.restorationRoot { Self.collect(root, into: &roots) }
        return roots + scene.registrations.roots
    }

    /// The objects whose paths would lie directly below an object's, identified or not.
    ///
    /// Views are looked through: a view's path is its controller's plus its own identifier, however
    /// deep it lies in other views (I2, P11). So nothing but a registered object lies below a view.
    func children(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        if object.restorationKind != .view {
            object.forEachRestorationChild { Self.collect($0, into: &result) }
        }
        let registered = scene.registrations.objects(below: object.restoration)
        return result
            + registered.filter { object in !result.contains { $0 === object } }
    }

    /// How deep views lie in each other at most: a view that lies in itself ends here.
    private static let mostNestedViews = 512

    private static func collect(
        _ object: any StateRestoring, into result: inout [any StateRestoring], depth: Int = 0
    ) {
        result.append(object)
        if object.restorationKind == .view, depth < mostNestedViews {
            object.forEachRestorationChild { collect($0, into: &result, depth: depth + 1) }
        }
    }
}
