import StateRecords

/// A search for the live objects of records, in the order described by R3 and R7.
///
/// The search tries the restoration class or the delegate first, then existing objects, then the storyboard.
struct ObjectFinder {
    /// Result of a search.
    enum Outcome {
        /// The search found the object.
        case found(Finding)
        /// The search found no object, or an object that cannot be restored from the record.
        case notRestored(RestorationObstacle)
        /// The application reports that the object no longer exists.
        case gone
    }

    /// An object found for a record.
    struct Finding {
        let object: any StateRestoring
        /// Step in which the search found the object.
        let step: FindingStep
        /// Whether the object did not already exist at its path.
        var isNew = false
        /// Description of the restoration class or delegate whose object was ignored because an object already existed
        /// (R11), or `nil` if no object was ignored.
        var ignoredFinderDescription: String?
    }

    let scene: Scene
    let objects: RestoredObjects
    private let decoders: StateDecoderFactory
    private let storyboards: (any StoryboardInstantiating)?
    private var paths: RecordPathCache
    var existingObjects: ExistingObjects
    var classComparison: ClassComparison

    init(
        scene: Scene, objects: RestoredObjects, decoders: StateDecoderFactory,
        storyboards: (any StoryboardInstantiating)?
    ) {
        self.scene = scene
        self.objects = objects
        self.decoders = decoders
        self.storyboards = storyboards
        paths = RecordPathCache(objects.tree)
        existingObjects = ExistingObjects(scene: scene, objects: objects)
        classComparison = ClassComparison(scene.classes, names: scene.records.names)
    }

    /// Finds the object for a record. The object's parent must already have been found.
    mutating func find(_ index: Int, _ header: ObjectHeader) -> Outcome {
        let kind = header.restorationKind
        if kind == .viewController || kind == .object, header.restorationClassToken != 0 {
            return findByClass(index, header)
        }
        if kind == .viewController {
            do {
                if let candidate = try askDelegate(index) {
                    return accept(candidate, by: .delegate, "the delegate", index, header)
                }
            } catch {
                return declinedOutcome(.noObject, by: "the delegate", error)
            }
        }
        if kind == .object, let parent = objects.parent(of: index) {
            do {
                if let child = try parent.restorationChild(header.restorationIdentifier),
                    !child.restoration.isRestored(in: scene.records)
                {
                    return verify(Finding(object: child, step: .existing), header)
                }
            } catch {
                return declinedOutcome(.noObject, by: "its parent", error)
            }
        }
        if let object = existingObjects.object(at: index, header, &classComparison) {
            return verify(Finding(object: object, step: .existing), header)
        }
        if kind == .viewController, header.storyboard != 0 {
            return findInStoryboard(index, header)
        }
        return .notRestored(.noObject(header, below: parentPath(of: index)))
    }

    /// Returns the outcome of a search in which a restoration class, the delegate or a parent threw an error.
    private func declinedOutcome(
        _ failure: RestorationFailure, by finderDescription: String, _ error: any Error
    ) -> Outcome {
        if let error = error as? RestorationError, error == .gone { return .gone }
        return .notRestored(.noObjectReturned(failure, by: finderDescription, error))
    }

    /// Returns the path of the object above a record's object, or `nil` if the record's object is a root.
    private func parentPath(of index: Int) -> String? {
        objects.parent(of: index) == nil
            ? nil : objects.tree.writtenPath(of: objects.tree.parentIndices[index])
    }

    private mutating func askDelegate(_ index: Int) throws -> (any StateRestoring)? {
        try scene.delegate.application(
            scene, viewControllerWithRestorationIdentifierPath: paths.path(of: index),
            coder: decoders.decoder(at: index))
    }

    private mutating func findByClass(_ index: Int, _ header: ObjectHeader) -> Outcome {
        let token = scene.records.names.text(of: header.restorationClassToken) ?? ""
        guard let restorationClass = scene.classes.restorationClass(token) else {
            return .notRestored(.noRestorationClass(token))
        }
        let finderDescription = "its restoration class \(token)"
        let returnedObject: (any StateRestoring)?
        do {
            returnedObject = try restorationClass.object(
                withRestorationIdentifierPath: paths.path(of: index),
                coder: decoders.decoder(at: index))
        } catch {
            return declinedOutcome(.restorationClassNil, by: finderDescription, error)
        }
        guard let candidate = returnedObject else {
            return .notRestored(.noObjectReturned(.restorationClassNil, by: finderDescription))
        }
        let outcome = accept(candidate, by: .restorationClass, finderDescription, index, header)
        if case .found(let finding) = outcome, finding.object === candidate {
            candidate.restoration.restorationClass = restorationClass
        }
        return outcome
    }

    private mutating func findInStoryboard(_ index: Int, _ header: ObjectHeader) -> Outcome {
        let names = scene.records.names
        let origin = StoryboardOrigin(
            name: names.text(of: header.storyboard) ?? "",
            identifier: names.text(of: header.storyboardIdentifier) ?? "")
        guard let controller = storyboards?.instantiateViewController(origin) else {
            return .notRestored(.storyboardControllerMissing(origin))
        }
        let identifier = header.restorationIdentifier.withoutOrdinal
        guard controller.restoration.identifier == identifier else {
            return .notRestored(
                .restorationIdentifierChanged(
                    origin, "\(identifier)", has: controller.restoration.identifier.map { "\($0)" })
            )
        }
        if let parent = objects.parent(of: index),
            parent.hasLostStoryboardChild(
                header.restorationIdentifier, savedBy: decoders.parentDecoder(of: index))
        {
            return .notRestored(.storyboardChildMissing(origin, of: parentPath(of: index) ?? ""))
        }
        return verify(Finding(object: controller, step: .storyboard, isNew: true), header)
    }

    /// Checks the object that a restoration class or the delegate returned.
    ///
    /// An object that already exists at the path takes precedence (R11).
    mutating func accept(
        _ candidate: any StateRestoring, by step: FindingStep, _ finderDescription: String,
        _ index: Int,
        _ header: ObjectHeader
    ) -> Outcome {
        if let object = existingObjects.object(at: index, header, &classComparison) {
            let finding =
                object === candidate
                ? Finding(object: object, step: step)
                : Finding(
                    object: object, step: .existing, ignoredFinderDescription: finderDescription)
            return verify(finding, header)
        }
        let node = candidate.restoration
        if node.isRestored(in: scene.records) {
            let path =
                objects.index(of: node.record.number).map(objects.tree.writtenPath) ?? "another"
            return .notRestored(.alreadyRestored(as: path, returnedBy: finderDescription))
        }
        if let records = node.records, records !== scene.records {
            return .notRestored(.objectOfOtherScene(finderDescription))
        }
        let outcome = verify(Finding(object: candidate, step: step, isNew: true), header)
        guard case .found = outcome else { return outcome }
        return assignIdentity(candidate, header) ?? outcome
    }

    /// Assigns the recorded identifier to an object. The object is also registered if it is neither a controller nor a
    /// view (R6).
    ///
    /// - Returns: The outcome of the search if the object cannot be registered, or `nil` on success.
    private func assignIdentity(_ object: any StateRestoring, _ header: ObjectHeader) -> Outcome? {
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
            return .notRestored(.registrationFailed(error))
        }
    }

    /// Checks that a found object has the recorded kind and class (R4, R5).
    mutating func verify(_ finding: Finding, _ header: ObjectHeader) -> Outcome {
        let object = finding.object
        guard object.restorationKind == header.restorationKind else {
            return .notRestored(
                .kindMismatch(
                    savedKind: header.restorationKind?.noun ?? "stranger",
                    foundKind: object.restorationKind.noun))
        }
        let match = classComparison.match(object, tokenNumber: header.classToken)
        if match == .sameClass || match == .subclass { return .found(finding) }
        let savedClass = scene.records.names.text(of: header.classToken) ?? ""
        let foundClass = scene.classes.token(for: type(of: object))
        if match == .mismatch {
            return .notRestored(.differentClass(savedClass: savedClass, foundClass: foundClass))
        }
        return .notRestored(.unknownClass(savedClass: savedClass, foundClass: foundClass))
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
