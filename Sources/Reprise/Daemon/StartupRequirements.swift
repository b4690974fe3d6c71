import Dispatch
import Glibc

/// System resources that the daemon needs to start.
///
/// Without enough threads, libdispatch would wait forever. Without enough address space, a failed allocation would
/// terminate the process without an error message.
enum StartupRequirements {
    // The threads are for event loops, disks, the log and notifications.
    private static let requiredThreadCount = 10
    // A running daemon reserves 500 to 600 MiB, but uses only a small part of this space.
    private static let addressSpaceBytes = 512 << 20

    /// Checks whether the process can get enough threads and address space.
    ///
    /// - Throws: ``StartupRequirementError`` for the resource that the process cannot get.
    static func check() throws(StartupRequirementError) {
        let memory = mmap(
            nil, addressSpaceBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else { throw .noAddressSpace(errno: errno) }
        munmap(memory, addressSpaceBytes)
        try checkThreads()
    }

    private static func checkThreads() throws(StartupRequirementError) {
        // All threads wait, so that they exist at the same time.
        let exitSemaphore = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        var result: CInt = 0
        while result == 0, threads.count < requiredThreadCount {
            var thread = pthread_t()
            let argument = Unmanaged.passRetained(exitSemaphore)
            result = pthread_create(
                &thread, nil,
                { argument in
                    if let argument {
                        Unmanaged<DispatchSemaphore>.fromOpaque(argument).takeRetainedValue().wait()
                    }
                    return nil
                }, argument.toOpaque())
            if result == 0 { threads.append(thread) } else { argument.release() }
        }
        for _ in threads { exitSemaphore.signal() }
        for thread in threads { pthread_join(thread, nil) }
        if result != 0 { throw .noThreads(count: requiredThreadCount, errno: result) }
    }
}

/// Error for a system resource that the process cannot get.
enum StartupRequirementError: Error, CustomStringConvertible {
    /// The limit on the address space is too low (`RLIMIT_AS`).
    case noAddressSpace(errno: CInt)
    /// The limit on the number of threads is too low (`RLIMIT_NPROC`, or the cgroup's `pids.max`).
    case noThreads(count: Int, errno: CInt)

    var description: String {
        switch self {
        case .noAddressSpace(let number):
            "the system does not give this process enough address space (\(String(cString: strerror(number)))): "
                + "raise LimitAS= of the unit, or `ulimit -v`; 1 GiB is enough."
        case .noThreads(let count, let number):
            "the system does not give this process \(count) threads (\(String(cString: strerror(number)))): "
                + "raise TasksMax= or LimitNPROC= of the unit, or `ulimit -u`."
        }
    }
}
