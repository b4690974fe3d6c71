/// The live objects of a scene as the engine sees them.
struct LiveTree {
    /// The objects that lie below no other that takes part: the window's root with the views in it,
    /// and registered objects (I4).
    let roots: [any StateRestoring]
    /// Registered objects by the object that is their parent (I4).
    private var registered: [ObjectIdentifier: [any StateRestoring]] = [:]

    init(_ scene: Scene) {
        var roots: [any StateRestoring] = []
        if let root = scene.delegate.restorationRoot { Self.collect(root, into: &roots) }
        for object in scene.registeredObjects {
            if let parent = object.restorationParent, parent.restoration.identifier != nil {
                registered[ObjectIdentifier(parent), default: []].append(object)
            } else {
                roots.append(object)
            }
        }
        self.roots = roots
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
        if !registered.isEmpty {
            result += registered[ObjectIdentifier(object)] ?? []
        }
        return result
    }

    private static func collect(
        _ object: any StateRestoring, into result: inout [any StateRestoring]
    ) {
        result.append(object)
        if object.restorationKind == .view {
            object.forEachRestorationChild { collect($0, into: &result) }
        }
    }
}
