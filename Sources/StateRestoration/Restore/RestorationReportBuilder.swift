/// A builder that creates a launch report (R15) and decides which unassigned records are retained (R16).
struct RestorationReportBuilder {
    /// Report with the entries added so far.
    var report: RestorationReport
    private let records: SceneRecords
    private let objects: RestoredObjects
    /// For each unclaimed record, the number of earlier launches that failed to assign it to an object.
    private let failedLaunchCounts: [RecordNumber: Int]
    /// Version of the application that saved the scene.
    private let savedVersion: String

    private let tree: RecordTree

    init(scene: Scene, objects: RestoredObjects, reservedState: ReservedState) {
        self.objects = objects
        tree = objects.tree
        records = scene.records
        failedLaunchCounts = reservedState.unclaimedFailedLaunchCounts
        savedVersion = reservedState.passMetadata.bundleVersion
        records.earlierFailedLaunchCounts = reservedState.unclaimedFailedLaunchCounts
        report = RestorationReport(reason: scene.launchReason)
        report.recorded = tree.count
    }

    /// Reports an object whose saved state the delegate refused, and schedules the removal of its record.
    mutating func reportRefusedObject(_ index: Int) {
        if tree.parentIndices[index] == RecordTree.noParent {
            records.recordNumbersToRemove.append(tree.recordNumbers[index])
        }
        addUnrestoredObject(index, .refusedByDelegate(savedBy: savedVersion))
    }

    /// Reports an object and the objects below it as not restored.
    ///
    /// - Parameter appliesToDescendants: Whether the objects below it are reported with the same obstacle as the object
    ///   itself.
    mutating func reportUnrestoredSubtree(
        _ index: Int, _ obstacle: RestorationObstacle, appliesToDescendants: Bool = false
    ) {
        let isRetained = retainUnclaimedRecord(index)
        addUnrestoredObject(index, obstacle)
        for descendant in tree.subtree(below: index) {
            addUnrestoredObject(
                descendant,
                appliesToDescendants ? obstacle : .ancestorNotRestored(tree.writtenPath(of: index)))
            if isRetained { retainUnclaimedRecord(descendant) }
        }
    }

    /// Reports that an object and all objects below it no longer exist, and schedules the removal of their records
    /// (R3).
    mutating func reportRemovedObject(_ index: Int) {
        records.recordNumbersToRemove.append(tree.recordNumbers[index])
        for removedIndex in [index] + tree.subtree(below: index) {
            report.add(
                tree.writtenPath(of: removedIndex).truncated(to: RestorationPath.maximumBytes),
                to: \.gone)
        }
    }

    /// Reports an object that was created but is not in the object tree, and the objects below it, as not restored.
    ///
    /// - Parameter isRestored: A closure that returns whether the object for a record has been counted as restored.
    mutating func reportUnattachedObject(_ index: Int, isRestored: (Int) -> Bool) {
        let isRetained = countFailedLaunch(of: index) != nil
        for descendant in [index] + tree.subtree(below: index) where isRestored(descendant) {
            report.restored -= 1
            if isRetained { report.unclaimed += 1 }
            if descendant == index {
                addUnrestoredObject(descendant, .notInObjectTree)
            } else {
                addUnrestoredObject(descendant, .ancestorNotRestored(tree.writtenPath(of: index)))
            }
        }
    }

    /// Adds an unrestored object to the report.
    mutating func addUnrestoredObject(_ index: Int, _ obstacle: RestorationObstacle) {
        let isRepeated = hasEarlierFailure(index)
        report.add(
            UnrestoredObject(tree.writtenPath(of: index), obstacle, isRepeated: isRepeated),
            to: \.unrestored)
    }

    /// Returns whether an earlier launch failed to assign a record or a record above it.
    private func hasEarlierFailure(_ index: Int) -> Bool {
        var index = index
        while index >= 0 {
            if failedLaunchCounts[tree.recordNumbers[index]] ?? 0 > 0 { return true }
            index = tree.parentIndices[index]
        }
        return false
    }

    /// Reports an existing object that was restored although a different object was returned for its record (R11).
    mutating func reportIgnoredObject(_ index: Int, ignoring finderDescription: String) {
        report.add(
            UnrestoredObject(
                path: tree.writtenPath(of: index), code: .duplicatePath,
                detail:
                    "\(finderDescription) did not return the object that already exists at this path",
                remedy:
                    "Make sure that \(finderDescription) returns the existing object, or no object."
            ),
            to: \.duplicates)
    }

    /// Retains a record that was not assigned to an object, unless too many launches have failed to assign it.
    ///
    /// Launches are not counted for a record below another unclaimed record, because both records are removed together.
    ///
    /// - Returns: `false` if the record is removed from the archive.
    @discardableResult
    private mutating func retainUnclaimedRecord(_ index: Int) -> Bool {
        let header = tree.header(of: index)
        let isTopmostUnrestored = tree.parentIndices[index] < 0 || objects.parent(of: index) != nil
        guard
            let failedLaunchCount = isTopmostUnrestored
                ? countFailedLaunch(of: index) : earlierFailedLaunchCount(of: index)
        else {
            records.recordNumbersToRemove.append(header.recordNumber)
            return false
        }
        records.unclaimedRecords.insert(header, failedLaunchCount: failedLaunchCount)
        report.unclaimed += 1
        return true
    }

    /// Counts this launch as a failed attempt to assign a record, and reports the record if the count reaches the
    /// maximum.
    ///
    /// - Returns: The number of launches that failed to assign the record, or `nil` if the number exceeds the maximum.
    private mutating func countFailedLaunch(of index: Int) -> Int? {
        let failedLaunchCount =
            earlierFailedLaunchCount(of: index) + (records.isLaunchCounted ? 1 : 0)
        guard failedLaunchCount >= SceneRecords.maximumRestorationAttempts else {
            return failedLaunchCount
        }
        let path = tree.writtenPath(of: index).truncated(to: RestorationPath.maximumBytes)
        let isLastLaunch = failedLaunchCount == SceneRecords.maximumRestorationAttempts
        report.add(path, to: isLastLaunch ? \.expiring : \.expired)
        return isLastLaunch ? failedLaunchCount : nil
    }

    private func earlierFailedLaunchCount(of index: Int) -> Int {
        failedLaunchCounts[tree.recordNumbers[index]] ?? 0
    }
}
