import Synchronization

/// Recorded operations on a disk, with snapshots of the disk.
package struct DiskRecord: Sendable {
    /// Operation, with the program's activity and the newest snapshot after the operation.
    package struct Step: Sendable, CustomStringConvertible {
        /// Recorded operation.
        package var operation: DiskOperation
        /// Activity that the program has announced to the disk.
        package var activity: String
        /// Index of the newest snapshot after the operation.
        package var snapshot: Int

        /// One line with the snapshot's index, the activity and the operation.
        package var description: String { "\(snapshot): \(activity): \(operation)" }
    }

    /// Snapshots at the beginning and after each operation that may have changed the disk.
    package private(set) var snapshots: [DiskSnapshot]
    /// All operations.
    package private(set) var steps: [Step] = []
    /// Places at which syncs were performed.
    package internal(set) var sites: Set<SyncSite> = []

    init(_ contents: DiskContents) {
        snapshots = [DiskSnapshot(contents)]
    }

    mutating func append(_ operation: DiskOperation, activity: String, _ contents: DiskContents) {
        if operation.kind.changesDisk { snapshots.append(DiskSnapshot(contents)) }
        steps.append(
            Step(operation: operation, activity: activity, snapshot: snapshots.count - 1))
    }
}

extension SimulatedDisk {
    /// Starts to record operations, and to make a snapshot after each operation that may change the disk.
    package func startRecording() {
        memory.withLock { $0.record = DiskRecord($0.contents) }
    }

    /// Stops recording. Returns the record, or `nil` if nothing was recorded.
    package func stopRecording() -> DiskRecord? {
        memory.withLock { memory in
            let record = memory.record
            memory.record = nil
            return record
        }
    }

    /// Index of the newest recorded snapshot, or 0 if operations are not recorded.
    package var snapshotIndex: Int {
        memory.withLock { max(0, ($0.record?.snapshots.count ?? 0) - 1) }
    }

    /// Returns the index of the snapshot after the last operation of a kind on files of a name, or `nil` if there is no
    /// such operation.
    package func snapshotIndex(afterLast kind: DiskOperation.Kind, of name: String) -> Int? {
        memory.withLock { memory in
            memory.record?.steps.last {
                $0.operation.kind == kind && $0.operation.name == name
            }?.snapshot
        }
    }

    /// Announces a new activity of the program.
    package func begin(_ activity: String) {
        memory.withLock {
            $0.activity = activity
            $0.previous[activity] = nil
        }
    }

    /// Announces that the program continues an activity.
    package func resume(_ activity: String) {
        memory.withLock { $0.activity = activity }
    }

    /// Sets a function that decides on the calling thread whether an operation may run. A refused operation fails with
    /// `ECANCELED`.
    package func setGate(_ gate: (@Sendable (DiskOperation.Kind) -> Bool)?) {
        self.gate.withLock { $0 = gate }
    }

    /// Omits the syncs at some places from now on: they claim to succeed but do nothing. `nil` omits no syncs.
    package func omitSyncs(_ isOmitted: (@Sendable (SyncSite) -> Bool)?) {
        memory.withLock { $0.isOmitted = isOmitted }
    }

    /// Number of omitted syncs.
    package var omittedSyncCount: Int { memory.withLock { $0.omittedCount } }
}
