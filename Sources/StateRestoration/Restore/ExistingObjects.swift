import StateRecords

/// Existing objects, which can be found by the paths of their records (R3).
///
/// Loading one object can create others. If an object is not found, its siblings are therefore listed again if there is
/// evidence of new objects, or as long as the listings are cheap.
struct ExistingObjects {
    private struct Level {
        /// Index of the parent's record, or ``RecordTree/root`` for roots.
        let parent: Int
        var listing: SiblingListing
        /// Structure version of the parent when its children were listed.
        var version: UInt32
    }

    private let scene: Scene
    private let objects: RestoredObjects
    private var root: (any StateRestoring)?
    private var registrationCount = 0
    private var unreached: UnreachedObjects?
    /// Levels from the last search, each below the previous one.
    private var levels: [Level] = []
    /// Remaining number of objects that may be listed again without evidence of new objects.
    private var spareListings = 1 << 18

    init(scene: Scene, objects: RestoredObjects) {
        self.scene = scene
        self.objects = objects
        updateLive()
    }

    /// Returns the object at the path of a record, if it has not been restored from another record yet.
    ///
    /// Callers must request parents before their children, and all children before the next parent.
    mutating func object(
        at place: Int, _ header: ObjectHeader, _ classes: inout ClassComparison
    ) -> (any StateRestoring)? {
        guard let kind = header.restorationKind else { return nil }
        let parent = objects.tree.parents[place]
        if parent == RecordTree.root, root !== scene.delegate.restorationRoot {
            updateLive()
            levels.removeAll()
        }
        open(parent)
        let top = levels.count - 1
        if let object = levels[top].listing.claim(header, &classes) { return object }
        if mayHaveMore(levels[top], kind) {
            levels[top] = level(below: parent)
            if let object = levels[top].listing.claim(header, &classes) { return object }
        }
        return parent == RecordTree.root ? unreachedObject(header.restorationIdentifier, kind) : nil
    }

    /// Makes the level of a parent the last level.
    private mutating func open(_ parent: Int) {
        while let last = levels.indices.last, !isAncestor(levels[last].parent, of: parent) {
            levels.removeLast()
        }
        if let last = levels.indices.last, levels[last].parent == parent { return }
        levels.append(level(below: parent))
    }

    private func isAncestor(_ place: Int, of other: Int) -> Bool {
        place == RecordTree.root || (place..<objects.tree.ends[place]).contains(other)
    }

    private func level(below place: Int) -> Level {
        guard place != RecordTree.root, let parent = objects[place] else {
            let listing = SiblingListing(scene.liveRoots, below: nil, records: scene.records)
            return Level(parent: place, listing: listing, version: 0)
        }
        let version = parent.restoration.structureVersion
        let listing = SiblingListing(
            scene.liveChildren(of: parent), below: parent, records: scene.records)
        return Level(parent: place, listing: listing, version: version)
    }

    private mutating func mayHaveMore(_ level: Level, _ kind: RestorationKind) -> Bool {
        if registrationCount != scene.registrations.count,
            kind == .object || level.parent == RecordTree.root
        {
            updateLive()
            return true
        }
        if level.parent != RecordTree.root,
            objects[level.parent]?.restoration.structureVersion != level.version
        {
            return true
        }
        guard level.listing.count <= spareListings else { return false }
        spareListings -= level.listing.count
        if level.parent == RecordTree.root { updateLive() }
        return true
    }

    private mutating func updateLive() {
        if registrationCount != scene.registrations.count { unreached = nil }
        scene.registrations.refresh()
        root = scene.delegate.restorationRoot
        registrationCount = scene.registrations.count
    }

    /// Returns an object that was recorded as a root but is not one of the live roots.
    private mutating func unreachedObject(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        if let object = unreached?.object(identifier, kind) { return object }
        if let count = unreached?.visitedCount {
            guard count <= spareListings else { return nil }
            spareListings -= count
        }
        unreached = UnreachedObjects(scene)
        return unreached?.object(identifier, kind)
    }
}
