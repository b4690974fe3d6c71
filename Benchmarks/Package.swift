// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reprise-benchmarks",
    dependencies: [
        // Only its public interface is used, so that any earlier state of it can be measured as well.
        .package(name: "reprise", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // A yardstick, which needs libsqlite3-dev.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Bench",
            dependencies: [
                .product(name: "Encryption", package: "reprise"),
                .product(name: "Preservation", package: "reprise"),
                .product(name: "StateRestoration", package: "reprise"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        // What a program costs that does nothing else: in C.
        .executableTarget(name: "BarePeer", linkerSettings: [.linkedLibrary("systemd")]),
    ],
    swiftLanguageModes: [.v6]
)
