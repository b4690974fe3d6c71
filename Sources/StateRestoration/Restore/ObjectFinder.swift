/// Finds the live object for a record, in the order of R3 and R7: by its restoration class or by
/// the delegate, then as an object that is there already, then by its storyboard.
struct ObjectFinder {
    /// What came of looking for an object.
    enum Outcome {
        case found(Finding)
        case dropped(RestorationFailure, String)
    }

    /// An object that was found.
    struct Finding {
        let object: any StateRestoring
        /// Whether it did not stand at its path before.
        var isMade = false
        /// Who gave another object, which was left aside (R11).
        var rival: String?
    }

    let scene: Scene
    let objects: RestoredObjects
    private let coders: SavedCoders
    private let storyboards: (any StoryboardFinding)?
    private var paths: RecordPaths
    var existing: ExistingObjects
    var classes: ClassComparison

    init(
        scene: Scene, objects: RestoredObjects, coders: SavedCoders,
        storyboards: (any StoryboardFinding)?
    ) {
        self.scene = scene
        self.objects = objects
        self.coders = coders
        self.storyboards = storyboards
        paths = RecordPaths(objects.tree)
        existing = ExistingObjects(scene: scene, objects: objects)
        classes = ClassComparison(scene.classes, names: scene.records.names)
    }

    /// Finds the object for the record at a place, whose parent was found before.
    mutating func find(_ place: Int) -> Outcome {
        let header = objects.tree.records[place].header
        switch header.kind {
        case .viewController, .object:
            if header.restorationClassToken != 0 { return findByClass(place, header) }
        case .view, .scene:
            break
        }
        if header.kind == .viewController, let given = askDelegate(place) {
            return settle(given, by: "the delegate", place, header)
        }
        if let object = existing.object(at: place) {
            return checked(Finding(object: object), header)
        }
        if header.kind == .viewController, header.storyboard != 0 {
            return findInStoryboard(header)
        }
        return .dropped(.noObject, "nothing at this path exists, and nothing makes it")
    }

    private mutating func askDelegate(_ place: Int) -> (any StateRestoring)? {
        scene.delegate.application(
            scene, viewControllerWithRestorationIdentifierPath: paths.path(of: place),
            coder: coders.object(at: place))
    }

    private mutating func findByClass(_ place: Int, _ header: RecordHeader) -> Outcome {
        let token = scene.records.names.text(of: header.restorationClassToken) ?? ""
        guard let restorationClass = scene.classes.restorationClass(token) else {
            return .dropped(
                .restorationClassMissing,
                "no restoration class is registered as \(token), or with it as an alias")
        }
        let given = restorationClass.object(
            withRestorationIdentifierPath: paths.path(of: place),
            coder: coders.object(at: place))
        guard let given else {
            return .dropped(.restorationClassNil, "its restoration class \(token) gave no object")
        }
        let outcome = settle(given, by: "its restoration class \(token)", place, header)
        if case .found(let finding) = outcome, finding.object === given {
            given.restoration.restorationClass = restorationClass
        }
        return outcome
    }

    private mutating func findInStoryboard(_ header: RecordHeader) -> Outcome {
        let names = scene.records.names
        let storyboard = names.text(of: header.storyboard) ?? ""
        let identifier = names.text(of: header.storyboardIdentifier) ?? ""
        let made = storyboards?.instantiateViewController(
            StoryboardOrigin(name: storyboard, identifier: identifier))
        guard let made, made.restoration.identifier == header.identifier.withoutOrdinal else {
            return .dropped(
                .storyboardMissing,
                "the storyboard \(storyboard) has no controller \(identifier) "
                    + "with this restoration identifier")
        }
        return checked(Finding(object: made, isMade: true), header)
    }
}
