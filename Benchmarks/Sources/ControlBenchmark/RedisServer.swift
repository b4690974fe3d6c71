import Glibc

/// A `redis-server` with an append-only file that is synced every second.
struct RedisServer {
    let socket: String
    private let process: pid_t

    /// Nil if the machine has none.
    ///
    /// - Parameter folder: what its file and its socket are in.
    init?(folder: String) {
        socket = folder + "/redis"
        let arguments = [
            "redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder,
            "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--logfile",
            folder + "/redis.log",
        ]
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, arguments[0], nil, nil, &words, environ) == 0 else {
            return nil
        }
        self.process = process
        for _ in 0..<500 where access(socket, W_OK) != 0 { usleep(10_000) }
    }

    /// Ends it.
    func end() {
        kill(process, SIGTERM)
        var status: CInt = 0
        waitpid(process, &status, 0)
    }
}
