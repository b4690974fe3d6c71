// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "JobRunner",
    dependencies: [
        .package(name: "reprise", path: "../../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "JobRunner",
            dependencies: [
                .product(name: "Preservation", package: "reprise"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "JobRunnerTests",
            dependencies: [
                "JobRunner",
                .product(name: "RestorationTesting", package: "reprise"),
            ]),
    ]
)
