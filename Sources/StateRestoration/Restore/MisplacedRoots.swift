/// Objects that are not roots but may have been recorded as roots.
///
/// Such an object is either below a controller without an identifier (P7), or registered with a parent that does not
/// take part in preservation (P12).
struct MisplacedRoots {
    /// Number of objects that have been checked.
    private(set) var checkedObjectCount = 0
    private let records: SceneRecords
    /// Objects that may have been recorded as roots, keyed by identifier.
    private var objectsByIdentifier: [RestorationIdentifier: [any StateRestoring]] = [:]

    init(_ scene: Scene) {
        records = scene.records
        let roots = scene.liveRoots
        let rootIdentities = Set(roots.map { ObjectIdentifier($0) })
        for object in scene.registeredObjects where !isReached(object, from: rootIdentities) {
            add(object)
            checkedObjectCount += 1
        }
        for root in roots {
            visit(root, isReached: root.restoration.identifier != nil, in: scene)
        }
    }

    /// Returns the first unrestored object with the given identifier and kind, or `nil` if there is none.
    func object(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        objectsByIdentifier[identifier]?.first {
            $0.restorationKind == kind && !$0.restoration.isRestored(in: records)
        }
    }

    /// Returns whether an object is one of the given roots, or descends from one through objects that all have
    /// identifiers.
    private func isReached(
        _ object: any StateRestoring, from roots: Set<ObjectIdentifier>
    ) -> Bool {
        var topmostAncestor = object
        for _ in 0..<RecordTree.maximumDepth {
            guard let parent = topmostAncestor.restorationParent else { break }
            if parent.restoration.identifier == nil { return false }
            topmostAncestor = parent
        }
        return roots.contains(ObjectIdentifier(topmostAncestor))
    }

    private mutating func visit(_ object: any StateRestoring, isReached: Bool, in scene: Scene) {
        for child in scene.liveChildren(of: object) {
            let hasIdentifier = child.restoration.identifier != nil
            if !isReached, hasIdentifier { add(child) }
            if child.restorationKind != .view {
                visit(child, isReached: isReached && hasIdentifier, in: scene)
            }
            checkedObjectCount += 1
        }
    }

    private mutating func add(_ object: any StateRestoring) {
        guard let identifier = object.restoration.identifier else { return }
        objectsByIdentifier[identifier, default: []].append(object)
    }
}
