import ExactText

/// An index from paths to objects. It contains the results of earlier lookups.
///
/// With the index, the time of a repeated lookup does not depend on the number of siblings. A pass that changes the
/// position of an object clears the index. The index does not retain the objects.
struct PathIndex {
    /// Maximum number of indexed paths. It limits the memory that clients can use.
    private static let maximumCount = 1024

    /// For each path, links to the objects along the path, beginning with a root.
    private var linksByPath: [ExactString: [ObjectLink]] = [:]

    /// Returns the objects along a path, beginning with a root.
    ///
    /// - Returns: The objects, or `nil` if the path is not indexed or if one of the objects no longer exists.
    func objects(at path: String) -> [any StateRestoring]? {
        guard !linksByPath.isEmpty, let links = linksByPath[path] else { return nil }
        var objects: [any StateRestoring] = []
        objects.reserveCapacity(links.count)
        // In Swift 6.3, iterating over links treats `nil` as a link, so a loop over the links would not end.
        for index in links.indices {
            guard let object = links[index].object else { return nil }
            objects.append(object)
        }
        return objects
    }

    /// Adds the objects along a path, beginning with a root.
    mutating func insert(_ objects: [any StateRestoring], at path: String) {
        if linksByPath.count == Self.maximumCount { removeAll() }
        linksByPath[path] = objects.map(ObjectLink.init)
    }

    /// Removes all paths.
    mutating func removeAll() {
        if !linksByPath.isEmpty { linksByPath = [:] }
    }
}

extension Scene {
    /// Returns the objects along a path, beginning with a root, or `nil` if the index cannot provide them.
    func indexedObjects(at path: String) -> [any StateRestoring]? {
        guard canUsePathIndex, let objects = records.pathIndex.objects(at: path),
            areRecorded(objects)
        else { return nil }
        return objects
    }

    /// Adds the objects along a path to the index, unless a later change to the path might go unnoticed.
    ///
    /// The path must not begin with a view, because views without a controller do not mark changes to their subviews.
    func index(_ objects: [any StateRestoring], at path: String) {
        guard canUsePathIndex, objects.first?.restorationKind != .view, areRecorded(objects) else {
            return
        }
        records.pathIndex.insert(objects, at: path)
    }

    /// Returns whether the first object is a recorded root and every other object is recorded directly below the
    /// previous object.
    ///
    /// If an object is not recorded there, the next pass determines its position.
    private func areRecorded(_ objects: [any StateRestoring]) -> Bool {
        var parentNode = records.root
        for object in objects {
            let node = object.restoration
            guard node.record.exists, node.belongs(to: records), node.isDirectlyBelow(parentNode)
            else { return false }
            parentNode = node
        }
        return true
    }

    /// Whether no position has changed since the last pass determined the positions of all objects.
    var canUsePathIndex: Bool {
        records.isStructureUnchanged && preservedRoot === delegate.restorationRoot?.restoration
    }
}
