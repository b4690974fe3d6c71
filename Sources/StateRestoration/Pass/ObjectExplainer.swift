import ExactText

/// A source of explanations about a scene's live objects and saved state (P6).
package struct ObjectExplainer {
    private let scene: Scene
    private let survey: TreeSurvey

    private var records: SceneRecords { scene.records }

    package init(_ scene: Scene) {
        self.scene = scene
        survey = TreeSurvey(scene)
    }

    /// Explains the live object or the saved state at an address or a restoration path.
    ///
    /// The state of a live object is encoded but not recorded. No views are loaded (P21).
    package func explanation(of address: String, passMetadata: PassMetadata) -> Explanation {
        let entry = entry(at: address)
        let node = entry?.object.restoration
        let isRecorded = node?.record.exists == true && node?.records === records
        let path = isRecorded ? node.map { records.path(of: $0) } : nil
        var explanation = Explanation(
            address: entry?.address ?? address, launchReason: scene.report.reason)
        explanation.path = path?.description
        if let entry { explanation.liveObject = liveObject(entry, passMetadata) }
        explanation.retainsUnresolvedReferences =
            isRecorded
            && node.map { records.recordsWithUnresolvedReferences.contains($0.record.number) }
                == true
        explainLaunch(of: path?.description ?? address, &explanation)
        explanation.unclaimedRecord = unclaimedRecord(
            at: path?.components ?? RestorationPath(recorded: address).components)
        return explanation
    }

    /// Returns the live object with the given address or, if there is none, the live object with the same path.
    ///
    /// The path of an object differs from its address if the object is preserved as a root because of a reference (P7).
    private func entry(at address: String) -> TreeSurvey.Entry? {
        let objectsOnPath = survey.objectsOnPath(to: address, loadsViews: false)
        if objectsOnPath.isComplete { return objectsOnPath.entries.last }
        guard let object = recordedNode(at: RestorationPath(recorded: address).components)?.object
        else { return nil }
        return survey.entries().first { $0.object === object }
    }

    private func liveObject(
        _ entry: TreeSurvey.Entry, _ passMetadata: PassMetadata
    ) -> Explanation.LiveObject {
        let node = entry.object.restoration
        let foundObject = foundObject(node, entry.classToken)
        return Explanation.LiveObject(
            classToken: entry.classToken, omission: entry.omission,
            isOrphan: node.record.isOrphan && entry.omission == nil,
            state: entry.omission == nil ? state(of: entry.object, passMetadata) : nil,
            isRestored: foundObject != nil, foundObject: foundObject)
    }

    /// Returns the live objects that the last launch found for records, parents first (R18).
    package func foundObjects() -> [FoundObject] {
        survey.entries().compactMap { foundObject($0.object.restoration, $0.classToken) }
    }

    private func foundObject(_ node: RestorationNode, _ classToken: String) -> FoundObject? {
        guard let step = node.record.findingStep, node.records === records else { return nil }
        let keys = records.unreadKeyNumbers[node.record.number] ?? []
        return FoundObject(
            path: records.path(of: node).description, classToken: classToken, step: step,
            unreadKeys: keys.compactMap { records.names.text(of: $0) }
                .filter { !$0.hasPrefix("@") })  // Omits the library's own keys.
    }

    private func state(of object: any StateRestoring, _ passMetadata: PassMetadata)
        -> Explanation.State
    {
        var failure: String?
        if case .encodeFailed(_, let reason) = records.losses[object.restoration.record.number] {
            failure = reason
        }
        do {
            let state = try StateInspection(scene).state(of: object, passMetadata: passMetadata)
            return failure.map { .failed(reason: $0) } ?? state
        } catch {
            return .failed(reason: failure ?? String(describing: error))
        }
    }

    private func explainLaunch(of path: String, _ explanation: inout Explanation) {
        let report = scene.report
        explanation.unrestoredObject = report.entry(for: path)
        explanation.isSavedStateExpired = report.expired.contains(path)
        explanation.isReportedRemoved = report.gone.contains(path)
        explanation.unlistedEntryCount = report.unlisted
        explanation.hasUnidentifiedLosses = report.unrestored.contains {
            $0.code == .damaged && $0.path == UnrestoredObject.unknownPath
        }
        explanation.displacedStatePhrase = report.displaced
        if explanation.unrestoredObject?.code == .decodeFailed {
            explanation.liveObject?.isRestored = false
        }
    }

    // MARK: Records

    /// Returns the node of the live object that is recorded at a path, or `nil` if there is none.
    private func recordedNode(at path: [RestorationIdentifier]) -> RestorationNode? {
        var node = records.root
        for identifier in path {
            guard let childNode = child(of: node, identifier) else { return nil }
            node = childNode
        }
        return node
    }

    private func child(
        of node: RestorationNode, _ identifier: RestorationIdentifier
    ) -> RestorationNode? {
        node.links.children.first {
            $0.isDirectlyBelow(node) && $0.record.exists && $0.record.identifier == identifier
        }
    }

    /// Returns the unclaimed record at a path, or `nil` if there is none.
    ///
    /// If the record is below another unclaimed record, the result contains the launch count of the topmost record,
    /// because the archive removes these records together.
    private func unclaimedRecord(at path: [RestorationIdentifier]) -> Explanation.UnclaimedRecord? {
        var deepestNode: RestorationNode? = records.root
        var parentNumber = records.root.record.number
        var foundEntry: UnclaimedRecords.Entry?
        var failedLaunchCount = 0
        for identifier in path {
            if let childNode = deepestNode.flatMap({ child(of: $0, identifier) }) {
                deepestNode = childNode
                parentNumber = childNode.record.number
                continue
            }
            deepestNode = nil
            foundEntry = records.unclaimedRecords.entry(
                at: RecordPosition(parent: parentNumber, identifier: identifier))
            guard let foundEntry else { return nil }
            if failedLaunchCount == 0 { failedLaunchCount = foundEntry.failedLaunchCount }
            parentNumber = foundEntry.header.recordNumber
        }
        return foundEntry.map { _ in
            Explanation.UnclaimedRecord(failedLaunchCount: failedLaunchCount)
        }
    }
}
