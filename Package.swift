// swift-tools-version: 6.2
import PackageDescription

extension Target.Dependency {
    /// Returns a product that is needed only if the `Daemon` trait is enabled.
    static func daemon(_ product: String, of package: String) -> Target.Dependency {
        .product(name: product, package: package, condition: .when(traits: ["Daemon"]))
    }

    /// Returns a product that is needed only if the `Etcd` trait is enabled.
    static func etcd(_ product: String, of package: String) -> Target.Dependency {
        .product(name: product, package: package, condition: .when(traits: ["Etcd"]))
    }

    /// Returns a product that is needed only if the `Web` trait is enabled.
    static func web(_ product: String, of package: String) -> Target.Dependency {
        .product(name: product, package: package, condition: .when(traits: ["Web"]))
    }
}

let package = Package(
    name: "reprise",
    products: [
        .library(name: "StateRestoration", targets: ["StateRestoration"]),
        .library(name: "Preservation", targets: ["Preservation"]),
        .library(name: "RestorationTesting", targets: ["RestorationTesting"]),
        .library(name: "Encryption", targets: ["Encryption"]),
        .library(name: "ControllerKit", targets: ["ControllerKit"]),
        .library(name: "Reprise", targets: ["Reprise"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(name: "VarlinkServing", targets: ["VarlinkServing"]),
        .executable(name: "varlink-swift", targets: ["varlink-swift"]),
        .plugin(name: "GenerateVarlink", targets: ["GenerateVarlink"]),
        .executable(name: "reprised", targets: ["reprised"]),
        .executable(name: "reprisectl", targets: ["reprisectl"]),
        .executable(name: "reprise-web", targets: ["reprise-web"]),
    ],
    // A program that embeds the library can disable all traits by specifying `traits: []`.
    traits: [
        .default(enabledTraits: ["Daemon"]),
        .trait(
            name: "Daemon",
            description: "The daemon, its client and its control interface; Varlink.",
            enabledTraits: ["Encryption"]),
        .trait(
            name: "Etcd",
            description: "A daemon's state is replicated to etcd, and outlives its host.",
            enabledTraits: ["Daemon"]),
        .trait(
            name: "Web",
            description: "The program that displays scenes in a browser.",
            enabledTraits: ["Daemon"]),
        .trait(name: "Encryption", description: "Saved state can be encrypted at rest."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        // Access to Linux, and string comparison.
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(
            name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSwiftRuntime"),
        .target(name: "ExactText"),
        .target(name: "CCrashStamp"),
        .target(
            name: "LinuxIO",
            dependencies: [
                "CLinux", "CCrashStamp",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Systemd",
            dependencies: [
                "CSystemd", "TerminalText", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "FileWatching",
            dependencies: [
                "CLinux", "ExactText", "LinuxIO",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        // The engine, the archive, and the module that combines them.
        .target(name: "StateRecords", dependencies: ["ExactText"]),
        .target(
            name: "StateRestoration", dependencies: ["CSwiftRuntime", "ExactText", "StateRecords"]),
        .target(
            name: "Encryption",
            dependencies: [
                "LinuxIO", .target(name: "COpenSSL", condition: .when(traits: ["Encryption"])),
            ]),
        .target(
            name: "SavedState",
            dependencies: ["CXXHash", "Encryption", "ExactText", "LinuxIO", "StateRecords"]),
        .target(
            name: "Preservation",
            dependencies: [
                "Encryption", "ExactText", "LinuxIO", "StateRecords", "StateRestoration",
                "SavedState", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),

        // Replication of state to a store that the hosts of a cluster share. Without the `Etcd` trait, there is no
        // client for etcd.
        .target(
            name: "Replication",
            dependencies: [
                "Encryption", "ExactText", "SavedState", "StateRecords",
                .etcd("NIOCore", of: "swift-nio"),
                .etcd("NIOHTTP1", of: "swift-nio"),
                .etcd("NIOPosix", of: "swift-nio"),
                .etcd("NIOSSL", of: "swift-nio-ssl"),
            ]),

        // Daemon for tests of a cluster with many applications.
        .executableTarget(
            name: "clusterhost", dependencies: ["Preservation", "Reprise", "StateRestoration"],
            path: "Tests/ClusterHost"),

        // Support for the tests of programs that use the library.
        .target(
            name: "RestorationTesting",
            dependencies: [
                "LinuxIO", "Preservation", "SavedState", "StateRecords", "StateRestoration",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),

        // Controllers, and storyboards that create them.
        .target(name: "TerminalText"),
        .target(
            name: "ControllerKit", dependencies: ["ExactText", "StateRestoration", "TerminalText"]),
        .target(
            name: "PositionedYAML", dependencies: ["CLibYAML", "ExactText", "TerminalText"]),
        .target(
            name: "Storyboards",
            dependencies: ["ExactText", "PositionedYAML", "ControllerKit", "StateRestoration"]),

        // The Varlink library and the control interface.
        .target(
            name: "Varlink",
            dependencies: [
                "CLinux", "TerminalText", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "VarlinkServing",
            dependencies: [
                "CLinux", "Varlink",
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
            ]),
        // The generator of Swift code from interface definitions.
        .target(name: "VarlinkGeneration", dependencies: ["ExactText", "Varlink"]),
        .executableTarget(
            name: "varlink-swift",
            dependencies: [
                "Varlink", "VarlinkGeneration",
                .daemon("ArgumentParser", of: "swift-argument-parser"),
            ]),
        .plugin(
            name: "GenerateVarlink",
            capability: .command(
                intent: .custom(
                    verb: "generate-varlink",
                    description: "Generates Swift code from Varlink interface definitions."),
                permissions: [
                    .writeToPackageDirectory(reason: "The generated code is part of the package.")
                ]),
            dependencies: ["varlink-swift"], path: "Sources/GenerateVarlink"),

        .target(
            name: "RepriseControl",
            dependencies: ["ExactText", "StateRestoration", "Varlink"],
            exclude: ["org.reprise.Control.options", "org.reprise.Control.varlink"]),

        // The daemon, its applications, and the two programs.
        .target(
            name: "Reprise",
            dependencies: [
                "CLinux", "Encryption", "ExactText", "LinuxIO", "Systemd", "FileWatching",
                "StateRestoration", "SavedState", "Preservation", "ControllerKit", "PositionedYAML",
                "Storyboards", "TerminalText", "Varlink", "VarlinkServing", "RepriseControl",
                "Replication",
                .daemon("ArgumentParser", of: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            exclude: ["Serving/io.systemd.service.options", "Serving/io.systemd.service.varlink"]),
        .target(
            name: "SampleApplications",
            dependencies: ["StateRestoration", "Preservation", "ControllerKit", "Reprise"]),
        .executableTarget(
            name: "reprised",
            dependencies: ["Reprise", "SampleApplications"]),
        .executableTarget(
            name: "reprisectl",
            dependencies: [
                "CLinux", "Encryption", "ExactText", "LinuxIO", "StateRecords",
                "StateRestoration", "SavedState", "RepriseControl", "TerminalText", "Varlink",
                .daemon("ArgumentParser", of: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        // Scenes in a browser. Without the `Web` trait, there is no web server.
        .target(
            name: "RepriseWeb",
            dependencies: [
                "ExactText", "LinuxIO", "RepriseControl", "TerminalText", "Varlink",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .web("Hummingbird", of: "hummingbird"),
                .web("HummingbirdCore", of: "hummingbird"),
                .web("NIOCore", of: "swift-nio"),
            ],
            resources: [
                .embedInCode("Page/index.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/page.js"),
            ]),
        .executableTarget(
            name: "reprise-web",
            dependencies: [
                "RepriseControl", "RepriseWeb", "Systemd", "TerminalText",
                .daemon("ArgumentParser", of: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The interface with which Varlink implementations test each other.
        .executableTarget(
            name: "certification",
            dependencies: [
                "Varlink", "VarlinkServing",
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOPosix", of: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Examples/Certification"),

        // The example in docs/varlink.md.
        .executableTarget(
            name: "clock",
            dependencies: [
                "Varlink", "VarlinkServing",
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOPosix", of: "swift-nio"),
            ],
            path: "Examples/Clock",
            exclude: ["org.example.Clock.options", "org.example.Clock.varlink"]),

        // Code that is shared by several test targets.
        .target(
            name: "TestSupport",
            dependencies: [
                "CXXHash",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestSupport"),

        .testTarget(
            name: "LinuxIOTests", dependencies: ["LinuxIO", "SimulatedDisk", "TestSupport"]),
        .testTarget(
            name: "SystemdTests",
            dependencies: [
                "CSystemd", "Systemd", "CLowDescriptors", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "FileWatchingTests",
            dependencies: [
                "FileWatching", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "EncryptionTests",
            dependencies: ["Encryption", "LinuxIO", "SimulatedDisk", "TestSupport"]),
        .target(name: "CLowDescriptors", path: "Tests/CLowDescriptors"),
        .testTarget(name: "ExactTextTests", dependencies: ["ExactText", "TestSupport"]),
        .testTarget(
            name: "StateRestorationTests",
            dependencies: ["StateRecords", "StateRestoration", "TestSupport"]),
        .target(
            name: "SimulatedDisk", dependencies: ["ExactText", "LinuxIO", "TestSupport"],
            path: "Tests/SimulatedDisk"),
        .executableTarget(
            name: "CrashStates",
            dependencies: [
                "Encryption", "SavedState", "StateRecords", "LinuxIO", "SimulatedDisk",
                "TestSupport",
            ],
            path: "Tests/CrashStates"),
        .testTarget(
            name: "CrashStatesTests", dependencies: ["CrashStates"]),
        .testTarget(
            name: "SavedStateTests",
            dependencies: [
                "Encryption", "ExactText", "LinuxIO", "SavedState", "SimulatedDisk", "StateRecords",
                "TestSupport",
            ]),
        .testTarget(
            name: "PreservationTests",
            dependencies: [
                "Encryption", "ExactText", "LinuxIO", "Preservation", "RestorationTesting",
                "SavedState", "SimulatedDisk", "StateRecords", "StateRestoration", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "SimulatedStore", dependencies: ["ExactText", "Replication"],
            path: "Tests/SimulatedStore"),
        .target(name: "CTaskHook", path: "Tests/CTaskHook"),
        .executableTarget(
            name: "ClusterSimulation",
            dependencies: [
                "CTaskHook", "Encryption", "ExactText", "LinuxIO", "Preservation", "Replication",
                "SavedState", "SimulatedDisk", "SimulatedStore", "StateRecords", "TestSupport",
            ],
            path: "Tests/ClusterSimulation"),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Encryption", "ExactText", "Preservation", "Replication", "SavedState",
                "SimulatedStore", "StateRecords", "TestSupport", "VarlinkServing",
                .product(name: "Logging", package: "swift-log"),
                .etcd("NIOCore", of: "swift-nio"),
                .etcd("NIOHTTP1", of: "swift-nio"),
                .etcd("NIOPosix", of: "swift-nio"),
                .daemon("Subprocess", of: "swift-subprocess"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "RestorationTestingTests",
            dependencies: [
                "LinuxIO", "Preservation", "RestorationTesting", "StateRestoration", "TestSupport",
            ]),
        .testTarget(
            name: "ControllerKitTests",
            dependencies: [
                "ControllerKit", "StateRecords", "StateRestoration", "TerminalText", "TestSupport",
            ]),
        .testTarget(
            name: "PositionedYAMLTests", dependencies: ["PositionedYAML", "TestSupport"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "StoryboardsTests",
            dependencies: [
                "Storyboards", "ControllerKit", "PositionedYAML", "StateRecords",
                "StateRestoration",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "VarlinkTests",
            dependencies: [
                "Varlink", "VarlinkServing", "CLinux", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
            ]),
        .testTarget(
            name: "VarlinkGenerationTests",
            dependencies: [
                "TestSupport", "Varlink", "VarlinkGeneration", "VarlinkServing",
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
            ],
            exclude: ["Definitions"]),
        .testTarget(
            name: "RepriseControlTests", dependencies: ["RepriseControl", "TestSupport", "Varlink"]),
        .testTarget(
            name: "reprisectlTests",
            dependencies: [
                "reprisectl", "Encryption", "LinuxIO", "RepriseControl", "SavedState",
                "StateRecords", "TestSupport", "Varlink",
                .daemon("ArgumentParser", of: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "RepriseTests",
            dependencies: [
                "Reprise", "ControllerKit", "ExactText", "FileWatching", "LinuxIO",
                "PositionedYAML", "Preservation", "Replication", "RepriseControl",
                "RestorationTesting", "StateRecords", "StateRestoration", "Systemd", "TestSupport",
                "Varlink", "VarlinkServing",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .daemon("NIOCore", of: "swift-nio"),
                .daemon("NIOEmbedded", of: "swift-nio"),
                .daemon("NIOPosix", of: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Configuration/Fixtures"]),
        .testTarget(
            name: "RepriseWebTests",
            dependencies: ["LinuxIO", "RepriseWeb", "RepriseControl", "TestSupport", "Varlink"]),
        .testTarget(
            name: "SampleApplicationsTests",
            dependencies: [
                "SampleApplications", "Reprise", "ControllerKit", "Preservation",
                "RepriseControl", "StateRestoration", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),

        // Tests that run the built programs as processes, and in containers with a real systemd.
        .target(
            name: "DaemonHost",
            dependencies: [
                .daemon("Subprocess", of: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/DaemonHost"),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "DaemonHost", "RepriseControl", "TestSupport", "Varlink",
                .daemon("Subprocess", of: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "DaemonHost", "Encryption", "ExactText", "LinuxIO", "RepriseControl", "TestSupport",
                "Varlink",
                .daemon("Subprocess", of: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "DaemonHost",
                .daemon("Subprocess", of: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/System"),
    ],
    swiftLanguageModes: [.v6]
)

// libFuzzer provides the main function of these targets, so only script/fuzz builds them.
if Context.environment["REPRISE_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
        .target(name: "FuzzSeeds", path: "Tests/Fuzz/Seeds"),
        .executableTarget(
            name: "FuzzValues", dependencies: ["FuzzSeeds", "StateRestoration"],
            path: "Tests/Fuzz/Values"),
        .executableTarget(
            name: "FuzzArchives",
            dependencies: ["CLibFuzzer", "FuzzSeeds", "LinuxIO", "SavedState", "StateRecords"],
            path: "Tests/Fuzz/Archives"),
        .executableTarget(
            name: "FuzzMessages", dependencies: ["FuzzSeeds", "Varlink"],
            path: "Tests/Fuzz/Messages"),
        .executableTarget(
            name: "FuzzParameters", dependencies: ["FuzzSeeds", "RepriseControl", "Varlink"],
            path: "Tests/Fuzz/Parameters"),
        .executableTarget(
            name: "FuzzInterfaces", dependencies: ["FuzzSeeds", "Varlink"],
            path: "Tests/Fuzz/Interfaces"),
    ]
}

// All Swift targets have the same settings.
for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// The client spends its time waiting for users and sockets, so it is optimized for size.
for target in package.targets where target.name == "reprisectl" {
    target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
}
