import StateRecords

/// A finder for the live object of a record, which searches in the order of R3 and R7.
///
/// The finder tries the restoration class or the delegate, then existing objects, then the storyboard.
struct ObjectFinder {
    /// Result of the search for an object.
    enum Outcome {
        case found(Finding)
        case dropped(RestorationObstacle)
        /// The application reports that the object no longer exists.
        case gone
    }

    /// An object that was found.
    struct Finding {
        let object: any StateRestoring
        let step: FindingStep
        /// Whether the object did not exist at its path before the search.
        var isMade = false
        /// Finder that returned a different object, which is not used (R11), or `nil` if no finder did.
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

    /// Finds the object for a record whose parent has already been found.
    mutating func find(_ place: Int, _ header: ObjectHeader) -> Outcome {
        let kind = header.restorationKind
        if kind == .viewController || kind == .object, header.restorationClassToken != 0 {
            return findByClass(place, header)
        }
        if kind == .viewController {
            do {
                if let given = try askDelegate(place) {
                    return accept(given, by: .delegate, "the delegate", place, header)
                }
            } catch {
                return declined(.noObject, by: "the delegate", error)
            }
        }
        if kind == .object, let parent = objects.parent(of: place) {
            do {
                if let child = try parent.restorationChild(header.restorationIdentifier),
                    !child.restoration.isRestored(in: scene.records)
                {
                    return checked(Finding(object: child, step: .existing), header)
                }
            } catch {
                return declined(.noObject, by: "its parent", error)
            }
        }
        if let object = existing.object(at: place, header, &classes) {
            return checked(Finding(object: object, step: .existing), header)
        }
        if kind == .viewController, header.storyboard != 0 {
            return findInStoryboard(place, header)
        }
        return .dropped(.noObject(header, below: parentPath(of: place)))
    }

    /// Returns the outcome for an error that a finder threw.
    private func declined(
        _ failure: RestorationFailure, by finder: String, _ error: any Error
    ) -> Outcome {
        if let error = error as? RestorationError, error == .gone { return .gone }
        return .dropped(.declined(failure, by: finder, error))
    }

    /// Returns the path of the object above a record, or `nil` if the record is a root.
    private func parentPath(of place: Int) -> String? {
        objects.parent(of: place) == nil
            ? nil : objects.tree.writtenPath(of: objects.tree.parents[place])
    }

    private mutating func askDelegate(_ place: Int) throws -> (any StateRestoring)? {
        try scene.delegate.application(
            scene, viewControllerWithRestorationIdentifierPath: paths.path(of: place),
            coder: coders.object(at: place))
    }

    private mutating func findByClass(_ place: Int, _ header: ObjectHeader) -> Outcome {
        let token = scene.records.names.text(of: header.restorationClassToken) ?? ""
        guard let restorationClass = scene.classes.restorationClass(token) else {
            return .dropped(.noRestorationClass(token))
        }
        let finder = "its restoration class \(token)"
        let made: (any StateRestoring)?
        do {
            made = try restorationClass.object(
                withRestorationIdentifierPath: paths.path(of: place),
                coder: coders.object(at: place))
        } catch {
            return declined(.restorationClassNil, by: finder, error)
        }
        guard let given = made else {
            return .dropped(.declined(.restorationClassNil, by: finder))
        }
        let outcome = accept(given, by: .restorationClass, finder, place, header)
        if case .found(let finding) = outcome, finding.object === given {
            given.restoration.restorationClass = restorationClass
        }
        return outcome
    }

    private mutating func findInStoryboard(_ place: Int, _ header: ObjectHeader) -> Outcome {
        let names = scene.records.names
        let origin = StoryboardOrigin(
            name: names.text(of: header.storyboard) ?? "",
            identifier: names.text(of: header.storyboardIdentifier) ?? "")
        guard let made = storyboards?.instantiateViewController(origin) else {
            return .dropped(.noController(origin))
        }
        let identifier = header.restorationIdentifier.withoutOrdinal
        guard made.restoration.identifier == identifier else {
            return .dropped(
                .otherIdentifier(
                    origin, "\(identifier)", has: made.restoration.identifier.map { "\($0)" }))
        }
        if let parent = objects.parent(of: place),
            parent.hasLostStoryboardChild(
                header.restorationIdentifier, savedBy: coders.parent(of: place))
        {
            return .dropped(.noChild(origin, of: parentPath(of: place) ?? ""))
        }
        return checked(Finding(object: made, step: .storyboard, isMade: true), header)
    }

    /// Checks an object that a finder returned.
    ///
    /// An object that already exists at the path takes precedence (R11).
    mutating func accept(
        _ given: any StateRestoring, by step: FindingStep, _ finder: String, _ place: Int,
        _ header: ObjectHeader
    ) -> Outcome {
        if let object = existing.object(at: place, header, &classes) {
            let finding =
                object === given
                ? Finding(object: object, step: step)
                : Finding(object: object, step: .existing, rival: finder)
            return checked(finding, header)
        }
        let node = given.restoration
        if node.isRestored(in: scene.records) {
            let path =
                objects.place(of: node.record.number).map(objects.tree.writtenPath) ?? "another"
            return .dropped(.alreadyRestored(as: path, given: finder))
        }
        if let records = node.records, records !== scene.records {
            return .dropped(.otherScene(finder))
        }
        let outcome = checked(Finding(object: given, step: step, isMade: true), header)
        guard case .found = outcome else { return outcome }
        return adopt(given, header) ?? outcome
    }

    /// Applies the recorded identifier to an object, and registers it if its kind requires this (R6).
    ///
    /// - Returns: The outcome if this is not possible, or `nil` on success.
    private func adopt(_ object: any StateRestoring, _ header: ObjectHeader) -> Outcome? {
        let identifier = header.restorationIdentifier.withoutOrdinal
        guard header.restorationKind == .object else {
            if object.restoration.identifier != identifier {
                object.restoration.identifier = identifier
            }
            return nil
        }
        do throws(RegistrationError) {
            try scene.registerObject(forStateRestoration: object, restorationIdentifier: identifier)
            return nil
        } catch {
            return .dropped(.notRegistered(error))
        }
    }

    /// Checks that a found object has the recorded kind and class (R4, R5).
    mutating func checked(_ finding: Finding, _ header: ObjectHeader) -> Outcome {
        let object = finding.object
        guard object.restorationKind == header.restorationKind else {
            return .dropped(
                .otherKind(
                    saved: header.restorationKind?.noun ?? "stranger",
                    found: object.restorationKind.noun))
        }
        let match = classes.match(object, token: header.classToken)
        if match == .same || match == .subclass { return .found(finding) }
        let saved = scene.records.names.text(of: header.classToken) ?? ""
        let found = scene.classes.token(for: type(of: object))
        if match == .mismatch {
            return .dropped(.otherClass(saved: saved, found: found))
        }
        return .dropped(.noClass(saved: saved, found: found))
    }
}

/// Step of a launch's search that found an object for its record (R3, R7, R18).
package enum FindingStep: String, Sendable {
    /// The object's restoration class returned it.
    case restorationClass
    /// The delegate returned the object.
    case delegate
    /// The object already existed at its path.
    case existing
    /// The object's storyboard created it.
    case storyboard

    /// Description of the step, for use in a sentence about the object.
    var phrase: String {
        switch self {
        case .restorationClass: "its restoration class returned it"
        case .delegate: "the delegate returned it"
        case .existing: "it already existed"
        case .storyboard: "its storyboard created it"
        }
    }
}

extension RestorationKind {
    /// Name of the kind for use in a sentence.
    fileprivate var noun: String {
        switch self {
        case .scene: "scene"
        case .viewController: "view controller"
        case .view: "view"
        case .object: "registered object"
        }
    }
}

/// A cache of comparisons between the classes of found objects and the recorded classes (R4, R5).
struct ClassComparison {
    private struct Pair: Hashable {
        let type: ObjectIdentifier
        let token: UInt32
    }

    private let classes: ClassRegistry
    private let names: NameTable
    private var known: [Pair: ClassRegistry.Match] = [:]
    private var last: (pair: Pair, match: ClassRegistry.Match)?

    init(_ classes: ClassRegistry, names: NameTable) {
        self.classes = classes
        self.names = names
    }

    /// Returns how an object's class relates to the class whose name has the given number.
    mutating func match(_ object: any StateRestoring, token: UInt32) -> ClassRegistry.Match {
        let type = type(of: object)
        let pair = Pair(type: ObjectIdentifier(type), token: token)
        if let last, last.pair == pair { return last.match }
        let match = known[pair] ?? classes.match(type, to: names.text(of: token) ?? "")
        known[pair] = match
        last = (pair, match)
        return match
    }
}
