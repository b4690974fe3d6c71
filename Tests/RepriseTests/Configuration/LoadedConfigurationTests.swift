import Glibc
import Logging
import PositionedYAML
import Preservation
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

@Suite struct LoadedConfigurationTests {
    private static let minimal = "applications: [{ bundleIdentifier: org.example.Panel }]\n"

    private func load(
        _ fileReader: MemoryConfigurationFileReader, option: String? = nil,
        environment: [String: String] = [:], candidateDropIn: String? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration.load(
            option: option, environment: environment, candidateDropIn: candidateDropIn,
            fileReader: fileReader)
    }

    @Test func `a cluster runs all applications, or only the listed ones`() {
        var cluster = Configuration.Cluster()
        #expect(!cluster.includes("org.example.A"))
        cluster.endpoints = ["etcd:2379"]
        #expect(cluster.includes("org.example.A"))
        cluster.applications = ["org.example.A"]
        #expect(cluster.includes("org.example.A"))
        #expect(!cluster.includes("org.example.B"))
    }

    @Test func `the option takes precedence over the environment and the system directory`() throws
    {
        let files = MemoryConfigurationFileReader([
            "/o/my.yaml": Self.minimal, "/c/reprised.yaml": Self.minimal,
            "/etc/reprise/reprised.yaml": Self.minimal,
        ])
        let environment = ["CONFIGURATION_DIRECTORY": "/c"]
        let named = try load(files, option: "/o/my.yaml", environment: environment)
        #expect(named.location.file == "/o/my.yaml")
        #expect(named.location.storyboardsDirectory == "/o/storyboards")
        #expect(named.location.dropInsDirectory == "/o/reprised.d")
        #expect(try load(files, environment: environment).location.file == "/c/reprised.yaml")
        #expect(try load(files).location.file == "/etc/reprise/reprised.yaml")
    }

    @Test func `the first directory that contains a configuration is used`() throws {
        let files = MemoryConfigurationFileReader(["/b/reprised.yaml": Self.minimal])
        let environment = ["CONFIGURATION_DIRECTORY": "/a:relative::/b/:/c"]
        #expect(try load(files, environment: environment).location.file == "/b/reprised.yaml")
    }

    @Test func `if no configuration exists, the error lists the paths that were checked`() {
        let error = ConfigurationError.notFound(triedPaths: [
            "/a/reprised.yaml", "/b/reprised.yaml", "/etc/reprise/reprised.yaml",
        ])
        #expect(throws: error) {
            try load(
                MemoryConfigurationFileReader(), environment: ["CONFIGURATION_DIRECTORY": "/a:/b"])
        }
        #expect(
            error.description
                == "there is no configuration (checked /a/reprised.yaml, /b/reprised.yaml, "
                + "/etc/reprise/reprised.yaml): create one there, or specify one with --config FILE."
        )
    }

    @Test func `a configuration that exists but cannot be read is an error`() {
        let files = MemoryConfigurationFileReader(
            ["/etc/reprise/reprised.yaml": Self.minimal],
            failures: ["/c/reprised.yaml": .system(errno: EACCES)])
        let error = FileReadError(path: "/c/reprised.yaml", reason: .system(errno: EACCES))
        #expect(throws: ConfigurationError.unreadable(error)) {
            try load(files, environment: ["CONFIGURATION_DIRECTORY": "/c"])
        }
    }

    @Test func `a missing file named by the option is an error even if other files exist`() {
        let files = MemoryConfigurationFileReader(["/etc/reprise/reprised.yaml": Self.minimal])
        let error = FileReadError(path: "/none.yaml", reason: .missing)
        #expect(throws: ConfigurationError.unreadable(error)) {
            try load(files, option: "/none.yaml")
        }
        #expect(throws: ConfigurationError.emptyOption) { try load(files, option: "") }
    }

    @Test func `the drop-ins of a file named without a directory are in the working directory`()
        throws
    {
        let files = MemoryConfigurationFileReader([
            "my.yaml": Self.minimal, "./reprised.d/a.yaml": "log: { level: debug }\n",
        ])
        let loaded = try load(files, option: "my.yaml")
        #expect(loaded.configuration.log.level == .debug)
        #expect(loaded.location.storyboardsDirectory == "./storyboards")
    }

    @Test func `drop-ins override the file, in bytewise order of their names`() throws {
        let files = MemoryConfigurationFileReader([
            "/c/reprised.yaml": Self.minimal + "history: { count: 1, interval: 3h }\n",
            "/c/reprised.d/9.yaml": "history: { count: 9 }\n",
            "/c/reprised.d/10.yaml": "history: { count: 10, bytes: 1MiB }\n",
            "/c/reprised.d/B.yaml": "history: { count: 11 }\n",
            "/c/reprised.d/a.yaml": "history: { count: 12 }\n",
            "/c/reprised.d/.z.yaml": "history: { count: 13 }\n",
            "/c/reprised.d/z.yaml~": "history: { count: 14 }\n",
        ])
        let loaded = try load(files, option: "/c/reprised.yaml")
        #expect(
            loaded.dropIns
                == ["10.yaml", "9.yaml", "B.yaml", "a.yaml"].map { "/c/reprised.d/\($0)" })
        #expect(loaded.configuration.history.count == 12)
        #expect(loaded.configuration.history.bytes == 1 << 20)
        #expect(loaded.configuration.history.interval == .seconds(3 * 3600))
    }

    @Test
    func
        `a program that needs no configuration hosts what it offers and reads files under its own name`()
        throws
    {
        let program = ProgramDescription(name: "jobs", version: "1")
        let environment = ["CONFIGURATION_DIRECTORY": "/c"]
        func load(_ files: [String: String]) throws -> LoadedConfiguration {
            try LoadedConfiguration.load(
                option: nil, environment: environment, of: program,
                availableApplications: ["org.example.A", "org.example.B"],
                fileReader: MemoryConfigurationFileReader(files))
        }
        let none = try load([:])
        #expect(
            none.configuration.applications.map(\.bundleIdentifier.value)
                == ["org.example.A", "org.example.B"])
        #expect(
            none.configuration.applications.map { $0.scenes.map(\.value) } == [["main"], ["main"]])
        #expect(none.files == [])
        #expect(none.sourcePhrase == "no configuration (there is no /c/jobs.yaml)")
        let dropIn = try load(["/c/jobs.d/a.yaml": "log: { level: debug }"])
        #expect(dropIn.configuration.log.level == .debug)
        #expect(dropIn.files == ["/c/jobs.d/a.yaml"])
        let some = try load(["/c/jobs.yaml": "log: { level: error }"])
        #expect(some.configuration.applications.count == 2)
        #expect(some.configuration.log.level == .error)
        let one = try load(["/c/jobs.yaml": "applications: [{ bundleIdentifier: org.example.B }]"])
        #expect(one.configuration.applications.map(\.bundleIdentifier.value) == ["org.example.B"])
        #expect(throws: ConfigurationError.self) { try load(["/c/jobs.yaml": "applications: []"]) }

        // If the daemon was started with a configuration, a reload requires one.
        var needing = program
        needing.needsConfiguration = true
        #expect(
            throws: ConfigurationError.notFound(triedPaths: ["/c/jobs.yaml", "/etc/jobs/jobs.yaml"])
        ) {
            try LoadedConfiguration.load(
                option: nil, environment: environment, of: needing,
                availableApplications: ["org.example.A"],
                fileReader: MemoryConfigurationFileReader([:]))
        }
    }

    @Test func `reprised hosts only the applications that its configuration lists`() throws {
        func load(_ text: String) throws -> LoadedConfiguration {
            try LoadedConfiguration.load(
                option: "/c/reprised.yaml", environment: [:],
                availableApplications: ["org.example.Panel", "org.example.Other"],
                fileReader: MemoryConfigurationFileReader(["/c/reprised.yaml": text]))
        }
        let named = try load(Self.minimal).configuration.applications
        #expect(named.map(\.bundleIdentifier.value) == ["org.example.Panel"])
        let error = #expect(throws: ConfigurationError.self) { try load("log: { level: error }") }
        #expect(error?.description.contains("applications") == true)
    }

    @Test func `a drop-in directory that cannot be listed is an error`() {
        let files = MemoryConfigurationFileReader(
            ["/c/reprised.yaml": Self.minimal],
            failures: ["/c/reprised.d": .system(errno: EIO)])
        let error = FileReadError(path: "/c/reprised.d", reason: .system(errno: EIO))
        #expect(throws: ConfigurationError.unreadable(error)) {
            try load(files, option: "/c/reprised.yaml")
        }
    }

    @Test(arguments: [false, true])
    func `a file or pipe in place of the drop-in directory is an error`(isPipe: Bool) throws {
        let scratch = try ScratchDirectory()
        try scratch.write("reprised.yaml", Self.minimal)
        let place = "\(scratch.path)/reprised.d"
        if isPipe {
            #expect(mkfifo(place, 0o600) == 0)
        } else {
            try scratch.write("reprised.d", "")
        }
        let error = FileReadError(path: place, reason: .notDirectory)
        #expect(throws: ConfigurationError.unreadable(error)) {
            try LoadedConfiguration.load(
                option: "\(scratch.path)/reprised.yaml", environment: [:])
        }
    }

    @Test func `a drop-in that cannot be read is an error`() {
        let files = MemoryConfigurationFileReader([
            "/c/reprised.yaml": Self.minimal, "/c/reprised.d/a.yaml/x": "",
        ])
        let error = FileReadError(path: "/c/reprised.d/a.yaml", reason: .isDirectory)
        #expect(throws: ConfigurationError.unreadable(error)) {
            try load(files, option: "/c/reprised.yaml")
        }
    }

    @Test(arguments: [
        ("/t/05.yaml", ["/t/05.yaml", "/c/reprised.d/10.yaml", "/c/reprised.d/50.yaml"]),
        ("/t/10.yaml", ["/t/10.yaml", "/c/reprised.d/50.yaml"]),
        ("/t/20.yaml", ["/c/reprised.d/10.yaml", "/t/20.yaml", "/c/reprised.d/50.yaml"]),
        ("/t/90.yaml", ["/c/reprised.d/10.yaml", "/c/reprised.d/50.yaml", "/t/90.yaml"]),
        // The names of temporary files
        ("/t/.05.yaml", ["/c/reprised.d/10.yaml", "/c/reprised.d/50.yaml", "/t/.05.yaml"]),
        ("/t/05", ["/c/reprised.d/10.yaml", "/c/reprised.d/50.yaml", "/t/05"]),
    ])
    func `a drop-in is checked at the position at which it is applied after its installation`(
        path: String, dropIns: [String]
    ) throws {
        let files = MemoryConfigurationFileReader([
            "/c/reprised.yaml": Self.minimal, "/c/reprised.d/10.yaml": "history: { count: 10 }",
            "/c/reprised.d/50.yaml": "history: { count: 50 }", path: "history: { count: 7 }",
        ])
        let loaded = try load(files, option: "/c/reprised.yaml", candidateDropIn: path)
        #expect(loaded.dropIns == dropIns)
        #expect(loaded.configuration.history.count == (dropIns.last == path ? 7 : 50))
        let note = ConfigurationCheckOverrides(dropIn: path).mergeOrderNote
        #expect((note != nil) == ["/t/.05.yaml", "/t/05"].contains(path))
        #expect(note?.contains(path) != false)
    }

    @Test func `too many drop-ins are refused`() throws {
        var files = MemoryConfigurationFileReader(["/c/reprised.yaml": Self.minimal])
        for number in 0..<LoadedConfiguration.maximumDropIns {
            files.contents["/c/reprised.d/\(number).yaml"] = []
        }
        #expect(try load(files, option: "/c/reprised.yaml").dropIns.count == 256)
        files.contents["/t/257.yaml"] = []
        #expect(throws: ConfigurationError.tooManyDropIns(directory: "/c/reprised.d", limit: 256)) {
            try load(files, option: "/c/reprised.yaml", candidateDropIn: "/t/257.yaml")
        }
        files.contents["/c/reprised.d/more.yaml"] = []
        #expect(throws: ConfigurationError.tooManyDropIns(directory: "/c/reprised.d", limit: 256)) {
            try load(files, option: "/c/reprised.yaml")
        }
    }

    @Test(arguments: [
        ("control", "observers", "a", true), ("control", "observers", "_a-b.C9", true),
        ("control", "observers", String(repeating: "g", count: 32), true),
        ("control", "observers", String(repeating: "g", count: 33), false),
        ("control", "observers", "", false), ("control", "observers", "9a", false),
        ("control", "observers", "-a", false), ("control", "observers", "a b", false),
        ("metrics", "file", "/a.prom", true), ("metrics", "file", "/b/c.d.prom", true),
        ("metrics", "file", "a.prom", false), ("metrics", "file", "/a.txt", false),
        ("metrics", "file", "/b/.prom", false), ("control", "socket", "/s", true),
        ("control", "socket", "s", false), ("control", "socket", "/s/", false),
        ("control", "socket", "/" + String(repeating: "s", count: 106), true),
        ("control", "socket", "/" + String(repeating: "s", count: 107), false),
    ])
    func `names and paths are validated`(
        section: String, key: String, value: String, isValid: Bool
    ) {
        let files = MemoryConfigurationFileReader([
            "/c/reprised.yaml": Self.minimal + "\(section): { \(key): \"\(value)\" }\n"
        ])
        if isValid {
            #expect(throws: Never.self) { try load(files, option: "/c/reprised.yaml") }
        } else {
            #expect(throws: ConfigurationError.self) { try load(files, option: "/c/reprised.yaml") }
        }
    }

    #if Etcd
        /// Returns the error in a configuration of two applications with additional sections, or an empty string.
        private func error(_ sections: String) -> String {
            let applications = ["A", "B"].map { "{ bundleIdentifier: org.example.\($0) }" }
            let files = MemoryConfigurationFileReader([
                "/c": "applications: [\(applications.joined(separator: ", "))]\n\(sections)\n"
            ])
            do throws(ConfigurationError) {
                _ = try load(files, option: "/c")
                return ""
            } catch {
                return "\(error)"
            }
        }

        private static let endpoints = #"endpoints: ["http://127.0.0.1:2379"]"#

        @Test func `a cluster requires endpoints and lists only applications of the daemon`() {
            let names = ["A", "X", "B", "Y"].map { "org.example.\($0)" }
            let hosted = "applications: [\(names[0]), \(names[2])]"
            #expect(error("cluster: { \(Self.endpoints), \(hosted) }") == "")
            let all = error(
                "cluster: { \(Self.endpoints), applications: [\(names.joined(separator: ", "))] }")
            #expect(names.map { all.contains($0) } == [false, true, false, true])
            #expect(error("cluster: { \(hosted) }").contains("cluster has no endpoints"))
            // An error in the endpoints is the only reported error.
            let problem = error(
                "preservation: { durability: replicated }\ncluster: { endpoints: [10.0.0.1:2379] }")
            #expect(problem.contains("write the address of an etcd server"))
            #expect(!problem.contains("no cluster") && !problem.contains("no endpoints"))
            #expect(error("cluster: null") == "")
            #expect(
                error("preservation: { durability: replicated }").contains(
                    "no cluster is configured"))
            #expect(
                error("preservation: { durability: replicated }\ncluster: { \(Self.endpoints) }")
                    == "")
        }

        @Test(arguments: [
            ("name", "a", true), ("name", "A_b-c.9", true), ("name", "", false),
            ("name", ".a", false),
            ("name", "a/b", false), ("name", String(repeating: "n", count: 63), true),
            ("name", String(repeating: "n", count: 64), false), ("host", "a b", false),
            ("host", "a.b", true), ("certificateAuthority", "/a.pem", true),
            ("certificateAuthority", "a.pem", false),
        ])
        func `names and paths in the cluster section are validated`(
            key: String, value: String, isValid: Bool
        ) {
            let endpoints = #"endpoints: ["https://127.0.0.1:2379"]"#
            #expect(error("cluster: { \(endpoints), \(key): \"\(value)\" }").isEmpty == isValid)
        }
    #endif

    @Test func `each application records its position in the configuration`() throws {
        let files = MemoryConfigurationFileReader([
            "/c/reprised.yaml": Self.minimal,
            "/c/reprised.d/a.yaml":
                "# mine\napplications:\n  - scenes: [side]\n    bundleIdentifier: org.example.A\n",
        ])
        let loaded = try load(files, option: "/c/reprised.yaml")
        let application = try #require(loaded.configuration.applications.first)
        #expect(
            application.bundleIdentifier.position.description == "/c/reprised.d/a.yaml:4:23")
        #expect(application.scenes.first?.position.description == "/c/reprised.d/a.yaml:3:14")
    }

    @Test func `comments and explicit defaults do not change the loaded configuration`() throws {
        let one = try load(MemoryConfigurationFileReader(["/c": Self.minimal]), option: "/c")
        let two = try load(
            MemoryConfigurationFileReader([
                "/c": "# comment\n\n" + Self.minimal + "log: {level: info}\n"
            ]
            ),
            option: "/c")
        #expect(one.configuration == two.configuration)
        let three = try load(
            MemoryConfigurationFileReader(["/c": Self.minimal + "log: {level: debug}\n"]),
            option: "/c")
        #expect(one.configuration != three.configuration)
    }

    @Test func `a cluster runs each of several listed applications`() {
        var cluster = Configuration.Cluster()
        cluster.endpoints = ["etcd:2379"]
        cluster.applications = ["org.example.A", "org.example.B"]
        #expect(
            ["A", "B", "C"].map { cluster.includes("org.example.\($0)") } == [true, true, false])
    }

    @Test func `a path with a zero byte is refused like an empty path`() {
        #expect(throws: ConfigurationError.emptyOption) {
            try load(MemoryConfigurationFileReader(["a": Self.minimal]), option: "a\0b")
        }
    }

    @Test func `the size at which a value causes a warning is at most the limit for values`() throws
    {
        func load(_ warning: String) throws -> Int {
            let text = Self.minimal + "limits: { state: 2KiB, stateWarning: \(warning) }\n"
            return try self.load(MemoryConfigurationFileReader(["/c": text]), option: "/c")
                .configuration.limits.warningBytes
        }
        #expect(try load("2KiB") == 2048)
        let error = #expect(throws: ConfigurationError.self) { try load("2049") }
        #expect(
            error?.description.contains("limits.stateWarning (2049) is above limits.state (2KiB)")
                == true)
    }

    @Test(arguments: [
        ("bundleIdentifier: a.b, scenes: [", "s", 257, "]", "applications[0].scenes has 257"),
        ("bundleIdentifier: a.b", " }, { bundleIdentifier: a.b", 4097, "", "applications has 4097"),
    ])
    func `a list that is too long is reported even if most of its entries are duplicates`(
        start: String, entry: String, count: Int, end: String, sentence: String
    ) throws {
        let separator = end.isEmpty ? "" : ", "
        let repeated = end.isEmpty ? count - 1 : count
        let entries = Array(repeating: entry, count: repeated).joined(separator: separator)
        let text = "applications: [{ \(start)\(entries)\(end) }]\n"
        let error = #expect(throws: ConfigurationError.self) {
            try load(MemoryConfigurationFileReader(["/c": text]), option: "/c")
        }
        #expect(error?.description.contains("\(sentence) entries: write 1 to") == true)
    }

    #if Etcd
        @Test func `an empty list of endpoints is reported as missing endpoints`() {
            #expect(error("cluster: { endpoints: [] }").contains("cluster has no endpoints"))
        }
    #endif
}
