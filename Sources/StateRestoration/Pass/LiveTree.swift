/// The live objects as the engine sees them.
enum LiveTree {
    /// The objects whose paths would lie directly below an object's, identified or not.
    ///
    /// Views are looked through: a view's path is its controller's plus its own identifier, however
    /// deep it lies in other views (I2, P11).
    static func children(of object: any StateRestoring) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        object.forEachRestorationChild { collect($0, into: &result) }
        return result
    }

    /// Roots and the views within them.
    static func flattened(_ objects: [any StateRestoring]) -> [any StateRestoring] {
        var result: [any StateRestoring] = []
        for object in objects { collect(object, into: &result) }
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
