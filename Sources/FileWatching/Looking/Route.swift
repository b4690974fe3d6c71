internal import SystemPackage

/// The way from the root to what a path leads to, as it was found.
struct Route: Equatable {
    /// A name that was looked up in a folder; if it changes, the way may.
    struct Step: Equatable {
        enum Kind {
            /// A folder on the way.
            case folder
            /// A symbolic link on the way.
            case link
            /// Nothing to go on with: it is missing, or a file where a folder is needed.
            case block
            /// The name of the file itself, whether it is there or not.
            case end
        }

        var folder: FilePath
        var name: FilePath.Component
        var kind: Kind
    }

    /// A folder on the way, or what is at its end.
    struct Place: Equatable {
        var path: FilePath
        var found: FoundFile
    }

    /// The names that were looked up, in order.
    var steps: [Step] = []
    /// The folders that were entered, in order, and then what was found at the end.
    var places: [Place] = []
    /// What the path leads to; nil if it leads to nothing.
    var end: Place?

    /// Tells what the difference between two looks at a path means for who watches it.
    ///
    /// - Parameter wasUnmounted: whether the file system is gone that this way ended in; asked only if it
    ///   matters.
    func changes(to new: Route, wasUnmounted: (Route) -> Bool) -> FileChanges {
        guard let old = end?.found.identity else { return new.end == nil ? [] : .created }
        let now = new.end?.found.identity
        if now == old { return [] }
        if wasUnmounted(self) || isRemounted(in: new) {
            return now == nil ? .unmounted : [.unmounted, .created]
        }
        return now == nil ? .removed : .replaced
    }

    /// Whether the ways part where the same path leads into another mount.
    private func isRemounted(in new: Route) -> Bool {
        let parting = zip(places, new.places).first { $0 != $1 }
        guard let (old, now) = parting else { return false }
        return old.path == now.path && old.found.mount != now.found.mount
    }
}
