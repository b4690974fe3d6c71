import StateRecords

/// A search for existing objects at the paths of their records (R3).
///
/// Loading one object can create others. If an object is not found, the search therefore lists its siblings again. If
/// nothing indicates that new objects exist, ``remainingListings`` limits how many objects are listed again.
struct ExistingObjects {
    private struct Level {
        /// Index of the parent's record, or ``RecordTree/root`` for roots.
        let parent: Int
        var siblingIndex: SiblingIndex
        /// Structure version that the parent had when its children were listed.
        var version: UInt32
    }

    private let scene: Scene
    private let objects: RestoredObjects
    private var root: (any StateRestoring)?
    private var registrationCount = 0
    private var misplacedRoots: MisplacedRoots?
    /// Levels from the last search, each below the preceding level.
    private var levels: [Level] = []
    /// Number of objects that may still be listed again without evidence of new objects.
    private var remainingListings = 1 << 18

    init(scene: Scene, objects: RestoredObjects) {
        self.scene = scene
        self.objects = objects
        refreshLiveObjects()
    }

    /// Returns the object at a record's path, or `nil` if there is none or it has already been restored from another
    /// record.
    ///
    /// Callers must request parents before their children, and all of a parent's children before the next parent.
    mutating func object(
        at index: Int, _ header: ObjectHeader, _ classes: inout ClassComparison
    ) -> (any StateRestoring)? {
        guard let kind = header.restorationKind else { return nil }
        let parent = objects.tree.parents[index]
        if parent == RecordTree.root, root !== scene.delegate.restorationRoot {
            refreshLiveObjects()
            levels.removeAll()
        }
        openLevel(parent)
        let top = levels.count - 1
        if let object = levels[top].siblingIndex.claim(header, &classes) { return object }
        if shouldListAgain(levels[top], kind) {
            levels[top] = level(below: parent)
            if let object = levels[top].siblingIndex.claim(header, &classes) { return object }
        }
        return parent == RecordTree.root ? misplacedRoot(header.restorationIdentifier, kind) : nil
    }

    /// Removes trailing levels until the last one is the level below a parent or below one of its ancestors, and
    /// appends the parent's level if it is missing.
    private mutating func openLevel(_ parent: Int) {
        while let last = levels.indices.last, !isAncestor(levels[last].parent, of: parent) {
            levels.removeLast()
        }
        if let last = levels.indices.last, levels[last].parent == parent { return }
        levels.append(level(below: parent))
    }

    private func isAncestor(_ index: Int, of other: Int) -> Bool {
        index == RecordTree.root || (index..<objects.tree.ends[index]).contains(other)
    }

    private func level(below index: Int) -> Level {
        guard index != RecordTree.root, let parent = objects[index] else {
            let siblingIndex = SiblingIndex(scene.liveRoots, below: nil, records: scene.records)
            return Level(parent: index, siblingIndex: siblingIndex, version: 0)
        }
        let version = parent.restoration.structureVersion
        let siblingIndex = SiblingIndex(
            scene.liveChildren(of: parent), below: parent, records: scene.records)
        return Level(parent: index, siblingIndex: siblingIndex, version: version)
    }

    private mutating func shouldListAgain(_ level: Level, _ kind: RestorationKind) -> Bool {
        if registrationCount != scene.registrations.count,
            kind == .object || level.parent == RecordTree.root
        {
            refreshLiveObjects()
            return true
        }
        if level.parent != RecordTree.root,
            objects[level.parent]?.restoration.structureVersion != level.version
        {
            return true
        }
        guard level.siblingIndex.count <= remainingListings else { return false }
        remainingListings -= level.siblingIndex.count
        if level.parent == RecordTree.root { refreshLiveObjects() }
        return true
    }

    private mutating func refreshLiveObjects() {
        if registrationCount != scene.registrations.count { misplacedRoots = nil }
        scene.registrations.refresh()
        root = scene.delegate.restorationRoot
        registrationCount = scene.registrations.count
    }

    /// Returns an object that may have been recorded as a root but is not one of the live roots.
    private mutating func misplacedRoot(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        if let object = misplacedRoots?.object(identifier, kind) { return object }
        if let count = misplacedRoots?.visitedCount {
            guard count <= remainingListings else { return nil }
            remainingListings -= count
        }
        misplacedRoots = MisplacedRoots(scene)
        return misplacedRoots?.object(identifier, kind)
    }
}
