/// Finds the live object for a record, in the order of R3: an object that is there already at
/// exactly that path, then one that the storyboard makes.
final class ObjectFinder {
    enum Outcome {
        /// An object, and whether the storyboard made it just now.
        case found(any StateRestoring, isMade: Bool)
        case dropped(RestorationFailure, String)
    }

    private struct Level {
        let parent: ObjectIdentifier
        var children: [(name: RestorationIdentifier, object: any StateRestoring)]
        /// Children mostly stand in the order in which they were recorded.
        var cursor = 0
    }

    private let scene: Scene
    private let storyboards: (any StoryboardFinding)?
    private var levels: [Level] = []
    private var tree: LiveTree
    private var knownRegistrations: Int

    init(scene: Scene, storyboards: (any StoryboardFinding)?) {
        self.scene = scene
        self.storyboards = storyboards
        scene.registrations.refresh()
        tree = LiveTree(scene)
        knownRegistrations = scene.registrations.count
    }

    /// Controllers register objects while they load.
    private func updateTree() {
        guard knownRegistrations != scene.registrations.count else { return }
        knownRegistrations = scene.registrations.count
        scene.registrations.refresh()
        tree = LiveTree(scene)
    }

    /// Finds a root: the window's, a registered object, or an object that was preserved although
    /// its container was not (P7).
    func findRoot(_ record: SavedRecord, names: NameTable) -> Outcome {
        levels.removeAll()
        scene.registrations.refresh()
        tree = LiveTree(scene)
        let roots = tree.roots
        let existing =
            roots.first { matches($0, record) }
            ?? scene.registeredObjects.first { matches($0, record) }
            ?? roots.lazy.compactMap { root in
                self.orphan(record, below: root, isReached: root.restoration.identifier != nil)
            }.first
        return decide(existing, record, names)
    }

    /// Finds an object below one that was found before.
    func find(
        _ record: SavedRecord, below parent: any StateRestoring, names: NameTable
    ) -> Outcome {
        updateTree()
        let key = ObjectIdentifier(parent)
        if let index = levels.lastIndex(where: { $0.parent == key }) {
            levels.removeSubrange((index + 1)...)
        } else {
            levels.append(Level(parent: key, children: children(of: parent)))
        }
        var existing = existingChild(record)
        if existing == nil {
            // Loading another's view may have made it since its parent's children were listed.
            levels[levels.count - 1].children = children(of: parent)
            existing = existingChild(record)
        }
        return decide(existing, record, names)
    }

    /// The objects below one, under the identifiers that they would be recorded by (I3).
    private func children(
        of parent: any StateRestoring
    ) -> [(name: RestorationIdentifier, object: any StateRestoring)] {
        let children = tree.children(of: parent)
        let resolved = SiblingIdentifiers(
            children, below: parent.restoration, numbered: parent.numbersEqualChildren)
        return zip(resolved.identifiers, children).compactMap { identifier, child in
            identifier.map { ($0, child) }
        }
    }

    private func existingChild(_ record: SavedRecord) -> (any StateRestoring)? {
        let top = levels.count - 1
        let children = levels[top].children
        let wanted = record.header.identifier
        for offset in 0..<children.count {
            let index = (levels[top].cursor + offset) % children.count
            let (name, child) = children[index]
            if name == wanted, !child.restoration.isRecorded,
                child.restorationKind == record.header.kind
            {
                levels[top].cursor = index + 1
                return child
            }
        }
        return nil
    }

    private func matches(_ object: any StateRestoring, _ record: SavedRecord) -> Bool {
        object.restoration.identifier == record.header.identifier
            && object.restorationKind == record.header.kind
    }

    /// An identified object below a controller without an identifier.
    private func orphan(
        _ record: SavedRecord, below object: any StateRestoring, isReached: Bool
    ) -> (any StateRestoring)? {
        for child in tree.children(of: object) {
            let takesPart = child.restoration.identifier != nil
            if !isReached, takesPart, matches(child, record) { return child }
            if child.restorationKind == .view { continue }
            if let found = orphan(record, below: child, isReached: isReached && takesPart) {
                return found
            }
        }
        return nil
    }

    private func decide(
        _ existing: (any StateRestoring)?, _ record: SavedRecord, _ names: NameTable
    ) -> Outcome {
        let header = record.header
        if let existing { return checked(existing, header, names, isMade: false) }
        guard header.kind == .viewController,
            let storyboard = names.text(of: header.storyboard),
            let identifier = names.text(of: header.storyboardIdentifier)
        else { return .dropped(.noObject, "nothing at this path exists, and nothing makes it") }
        let origin = StoryboardOrigin(name: storyboard, identifier: identifier)
        guard let made = storyboards?.instantiateViewController(origin),
            made.restoration.identifier == header.identifier.withoutOrdinal
        else {
            return .dropped(
                .storyboardMissing,
                "the storyboard \(storyboard) has no controller \(identifier) "
                    + "with this restoration identifier")
        }
        return checked(made, header, names, isMade: true)
    }

    private func checked(
        _ object: any StateRestoring, _ header: RecordHeader, _ names: NameTable, isMade: Bool
    ) -> Outcome {
        let token = names.text(of: header.classToken) ?? ""
        guard scene.classes.accepts(object, as: token) else {
            return .dropped(
                .classMismatch,
                "a \(token) was saved, and a \(scene.classes.token(for: type(of: object))) is there"
            )
        }
        return .found(object, isMade: isMade)
    }
}
