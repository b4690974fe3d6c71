extension ObjectFinder {
    /// Decides over what a finder gave. Whoever stands at the path already wins (R11).
    mutating func settle(
        _ given: any StateRestoring, by finder: String, _ place: Int, _ header: RecordHeader
    ) -> Outcome {
        if let object = existing.object(at: place) {
            let rival = object === given ? nil : finder
            return checked(Finding(object: object, rival: rival), header)
        }
        let node = given.restoration
        if node.isRestored(in: scene.records) {
            let path =
                objects.place(of: node.record.number).map(objects.tree.writtenPath) ?? "another"
            return .dropped(
                .duplicatePath, "\(finder) gave the object that was restored as \(path)")
        }
        if let records = node.records, records !== scene.records {
            return .dropped(.noObject, "\(finder) gave an object of another scene")
        }
        let outcome = checked(Finding(object: given, isMade: true), header)
        guard case .found = outcome else { return outcome }
        return adopt(given, header) ?? outcome
    }

    /// Gives an object what its record says that it is (R6).
    ///
    /// - Returns: why it cannot have that; nil: it has it.
    private func adopt(_ object: any StateRestoring, _ header: RecordHeader) -> Outcome? {
        let identifier = header.identifier.withoutOrdinal
        guard header.kind == .object else {
            if object.restoration.identifier != identifier {
                object.restoration.identifier = identifier
            }
            return nil
        }
        do throws(RegistrationError) {
            try scene.registerObject(
                forStateRestoration: object, restorationIdentifier: identifier)
            return nil
        } catch {
            return .dropped(.duplicatePath, error.description)
        }
    }

    /// A found object must be of the recorded kind and class (R4, R5).
    mutating func checked(_ finding: Finding, _ header: RecordHeader) -> Outcome {
        let object = finding.object
        guard object.restorationKind == header.kind else {
            return .dropped(
                .classMismatch,
                "it was saved as a \(header.kind.noun), and what was found is a "
                    + object.restorationKind.noun)
        }
        let match = classes.match(object, token: header.classToken)
        if match == .accepted { return .found(finding) }
        let saved = scene.records.names.text(of: header.classToken) ?? ""
        let found = scene.classes.token(for: type(of: object))
        if match == .mismatch {
            return .dropped(
                .classMismatch, "it was saved as \(saved), and what was found is \(found)")
        }
        return .dropped(
            .classMissing,
            "it was saved as \(saved), which no class is called, and what was found is \(found)")
    }
}

extension RestorationKind {
    /// The word for the kind in sentences.
    fileprivate var noun: String {
        switch self {
        case .scene: "scene"
        case .viewController: "view controller"
        case .view: "view"
        case .object: "registered object"
        }
    }
}
