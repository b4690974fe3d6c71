import Synchronization

/// What happened on a disk since recording began, with the disk after each operation.
package struct DiskRecord: Sendable {
    /// An operation, what the program was doing, and how many snapshots there were after it.
    package struct Step: Sendable, CustomStringConvertible {
        /// The operation.
        package var operation: DiskOperation
        /// What the program was doing, as it told the disk.
        package var activity: String
        /// The number of the newest snapshot after it.
        package var snapshot: Int

        /// One line.
        package var description: String { "\(snapshot): \(activity): \(operation)" }
    }

    /// The disk at first, and after each operation that may have changed it.
    package private(set) var snapshots: [DiskSnapshot]
    /// Every operation.
    package private(set) var steps: [Step] = []
    /// Where syncs were seen.
    package internal(set) var sites: Set<SyncSite> = []

    init(_ contents: DiskContents) {
        snapshots = [DiskSnapshot(contents)]
    }

    mutating func note(_ operation: DiskOperation, activity: String, _ contents: DiskContents) {
        if operation.kind.changesDisk { snapshots.append(DiskSnapshot(contents)) }
        steps.append(
            Step(operation: operation, activity: activity, snapshot: snapshots.count - 1))
    }
}

extension SimulatedDisk {
    /// Begins to keep a snapshot after each operation.
    package func startRecording() {
        memory.withLock { $0.record = DiskRecord($0.contents) }
    }

    /// Ends recording; what was recorded, or `nil` if nothing was.
    package func takeRecord() -> DiskRecord? {
        memory.withLock { memory in
            let record = memory.record
            memory.record = nil
            return record
        }
    }

    /// The number of the newest snapshot that is recorded; 0 without recording.
    package var recordedSnapshot: Int {
        memory.withLock { max(0, ($0.record?.snapshots.count ?? 0) - 1) }
    }

    /// The number of the snapshot after the last operation of a sort on files of a name; `nil` without
    /// any.
    package func recordedSnapshot(afterLast kind: DiskOperation.Kind, of name: String) -> Int? {
        memory.withLock { memory in
            memory.record?.steps.last {
                $0.operation.kind == kind && $0.operation.name == name
            }?.snapshot
        }
    }

    /// Tells the disk what the program does from now on.
    package func begin(_ activity: String) {
        memory.withLock {
            $0.activity = activity
            $0.previous[activity] = nil
        }
    }

    /// Tells the disk that the program goes on with something that it had begun.
    package func resume(_ activity: String) {
        memory.withLock { $0.activity = activity }
    }

    /// Asks a function before each operation, on the thread that wants it; one that it refuses does not
    /// happen and fails with `ECANCELED`.
    package func setGate(_ gate: (@Sendable (DiskOperation.Kind) -> Bool)?) {
        self.gate.withLock { $0 = gate }
    }

    /// From now on syncs of some sites claim to succeed and do nothing; `nil` for none.
    package func leaveOut(_ omits: (@Sendable (SyncSite) -> Bool)?) {
        memory.withLock { $0.omits = omits }
    }

    /// How many syncs were left out so.
    package var leftOutCount: Int { memory.withLock { $0.omitted } }
}
