import Glibc
import LinuxIO
import Synchronization

extension SimulatedDisk {
    /// Performs an operation unless it fails.
    ///
    /// - Parameter failing: Applies the partial effect of a failing operation.
    func perform<Value: Sendable>(
        _ kind: DiskOperation.Kind, _ path: String, other: String = "", byteCount: Int = 0,
        failing: (inout DiskContents, Fault) -> Void = { _, _ in },
        _ body: (inout DiskContents) -> Result<Value, IOError>
    ) throws(IOError) -> Value {
        try passGate(kind, path)
        let result = memory.withLock { memory in
            var operation = DiskOperation(kind, path, other: other, byteCount: byteCount)
            let result: Result<Value, IOError>
            if let fault = memory.countOperation(kind) {
                failing(&memory.contents, fault)
                result = .failure(IOError(kind.ioOperation, path: path, code: fault.code))
            } else {
                result = body(&memory.contents)
            }
            if case .failure(let error) = result { operation.failure = error.code }
            memory.recordOperation(operation)
            return result
        }
        return try result.get()
    }

    /// Performs a sync unless it fails or is omitted.
    func performSync(
        _ kind: DiskOperation.Kind, _ path: String,
        failing: (inout DiskContents) -> Void = { _ in },
        _ body: (inout DiskContents) -> Void
    ) throws(IOError) {
        try passGate(kind, path)
        let result: Result<Void, IOError> = memory.withLock { memory in
            var operation = DiskOperation(kind, path)
            let fault = memory.countOperation(kind)
            let isOmitted = memory.omitSync(operation)
            if let fault, fault.code != 0 {
                operation.failure = fault.code
                failing(&memory.contents)
            } else if fault != nil || isOmitted {
                operation.failure = 0
            } else {
                body(&memory.contents)
            }
            memory.recordOperation(operation)
            guard let code = operation.failure, code != 0 else { return .success(()) }
            return .failure(IOError(kind.ioOperation, path: path, code: code))
        }
        try result.get()
    }

    private func passGate(_ kind: DiskOperation.Kind, _ path: String) throws(IOError) {
        guard let gate = gate.withLock({ $0 }), !gate(kind) else { return }
        throw IOError(kind.ioOperation, path: path, code: ECANCELED)
    }
}

extension SimulatedDisk.Memory {
    /// Counts an operation. Returns the fault if the operation must fail.
    mutating func countOperation(_ kind: DiskOperation.Kind) -> SimulatedDisk.Fault? {
        log.append(kind.ioOperation)
        guard let fault, fault.affects(kind) else { return nil }
        countedOperations += 1
        let fails =
            countedOperations == fault.operation
            || (fault.isPermanent && countedOperations > fault.operation)
        return fails ? fault : nil
    }

    /// Returns whether a sync is omitted.
    mutating func omitSync(_ operation: DiskOperation) -> Bool {
        guard record != nil || isOmitted != nil else { return false }
        let site = SyncSite(
            activity: activity, kind: operation.kind, name: operation.name,
            previous: previous[activity] ?? "nothing")
        record?.sites.insert(site)
        guard let isOmitted, isOmitted(site) else { return false }
        omittedCount += 1
        return true
    }

    /// Records a finished operation.
    mutating func recordOperation(_ operation: DiskOperation) {
        guard record != nil || isOmitted != nil else { return }
        if operation.kind.isSync {
            previous[activity, default: "nothing"] +=
                ", \(operation.kind.rawValue) \(operation.name)"
        } else if operation.kind.changesDisk {
            previous[activity] = "\(operation.kind.rawValue) \(operation.name)"
        }
        record?.append(operation, activity: activity, contents)
    }
}
