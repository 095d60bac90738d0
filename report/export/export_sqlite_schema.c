/* SPDX-License-Identifier: MIT */
#include "report/export/export_sqlite_schema.h"

#define ENUMERATION "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT"
#define SPAN	    "start INTEGER NOT NULL, end INTEGER NOT NULL, "
#define PLACE                                                                                      \
	"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, "          \
	"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
#define PLACE_FILLED "start, end, deviceId, contextId, streamId, correlationId, globalPid, "

const struct nsys_sqlite_schema nsys_sqlite_schema[NSYS_TABLE_COUNT] = {
	[NSYS_TABLE_STRINGS] = {"StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
				"id, value"},
	[NSYS_TABLE_KERNEL] =
		{"CUPTI_ACTIVITY_KIND_KERNEL",
		 SPAN PLACE
		 "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, "
		 "mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
		 "registersPerThread INTEGER NOT NULL, "
		 "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "
		 "blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, "
		 "blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
		 "dynamicSharedMemory INTEGER NOT NULL, "
		 "localMemoryPerThread INTEGER NOT NULL, "
		 "localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, "
		 "sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
		 "sharedMemoryLimitConfig INTEGER, qmdBulkReleaseDone INTEGER, "
		 "qmdPreexitDone INTEGER, qmdLastCtaDone INTEGER, graphId INTEGER, "
		 "clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, "
		 "clusterSchedulingPolicy INTEGER, maxPotentialClusterSize INTEGER, "
		 "maxActiveClusters INTEGER",
		 PLACE_FILLED
		 "demangledName, shortName, mangledName, launchType, registersPerThread, "
		 "gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
		 "dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, "
		 "graphNodeId, graphId"},
	[NSYS_TABLE_MEMCPY] = {"CUPTI_ACTIVITY_KIND_MEMCPY",
			       SPAN PLACE
			       "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, "
			       "deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, "
			       "srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, "
			       "dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, "
			       "virtualAddress INTEGER, copyCount INTEGER",
			       PLACE_FILLED
			       "bytes, copyKind, srcKind, dstKind, graphNodeId, copyCount"},
	[NSYS_TABLE_MEMSET] = {"CUPTI_ACTIVITY_KIND_MEMSET",
			       SPAN PLACE "value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
					  "graphNodeId INTEGER, memKind INTEGER",
			       PLACE_FILLED "value, bytes, graphNodeId, memKind"},
	[NSYS_TABLE_RUNTIME] = {"CUPTI_ACTIVITY_KIND_RUNTIME",
				SPAN "eventClass INTEGER NOT NULL, globalTid INTEGER, "
				     "correlationId INTEGER, nameId INTEGER NOT NULL, "
				     "returnValue INTEGER NOT NULL, callchainId INTEGER",
				"start, end, eventClass, globalTid, correlationId, nameId, "
				"returnValue"},
	[NSYS_TABLE_GRAPH_TRACE] = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
				    SPAN PLACE
				    "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL",
				    PLACE_FILLED "graphId, graphExecId"},
	[NSYS_TABLE_NVTX] =
		{"NVTX_EVENTS",
		 "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
		 "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, "
		 "globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
		 "domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, "
		 "doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
		 "floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT",
		 "start, end, eventType, rangeId, text, globalTid, endGlobalTid, textId, "
		 "domainId"},
	[NSYS_TABLE_GPU] =
		{"TARGET_INFO_GPU",
		 "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, "
		 "isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
		 "memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, "
		 "pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, "
		 "cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT, "
		 "revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, "
		 "maxIPC INTEGER, maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, "
		 "maxShmemPerBlockOptin INTEGER, maxShmemPerSm INTEGER, "
		 "maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER, "
		 "maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, "
		 "maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER, maxBlockDimY INTEGER, "
		 "maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER, "
		 "maxGridDimZ INTEGER, computeMajor INTEGER, computeMinor INTEGER, "
		 "smMajor INTEGER, smMinor INTEGER",
		 "vmId, id, name, totalMemory, uuid, cuDevice, computeMajor, computeMinor"},
	[NSYS_TABLE_CUDA_DEVICE] = {"TARGET_INFO_CUDA_DEVICE",
				    "gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, "
				    "pid INTEGER NOT NULL, uuid TEXT NOT NULL, "
				    "numMultiprocessors INTEGER NOT NULL",
				    "gpuId, cudaId, pid, uuid, numMultiprocessors"},
	[NSYS_TABLE_SYSTEM_ENV] =
		{"TARGET_INFO_SYSTEM_ENV",
		 "globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL, "
		 "nameEnum INTEGER NOT NULL, value TEXT NOT NULL",
		 "globalVid, devStateName, name, nameEnum, value"},
	[NSYS_TABLE_SESSION_START] = {"TARGET_INFO_SESSION_START_TIME",
				      "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
				      "utcEpochNs, utcTime, localTime"},
	[NSYS_TABLE_ANALYSIS_DETAILS] = {"ANALYSIS_DETAILS",
					 "globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, "
					 "startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL",
					 "globalVid, duration, startTime, stopTime"},
	[NSYS_TABLE_PROCESSES] = {"PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT",
				  "globalPid, pid, name"},
	[NSYS_TABLE_THREAD_NAMES] = {"ThreadNames",
				     "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
				     "nameId, priority, globalTid"},
	[NSYS_TABLE_CAPTURE] = {"META_DATA_CAPTURE", "name TEXT NOT NULL, value TEXT",
				"name, value"},
	[NSYS_TABLE_EXPORT] = {"META_DATA_EXPORT", "name TEXT NOT NULL, value TEXT", "name, value"},
	[NSYS_TABLE_COPY_KINDS] = {"ENUM_CUDA_MEMCPY_OPER", ENUMERATION, "id, name, label"},
	[NSYS_TABLE_MEMORY_KINDS] = {"ENUM_CUDA_MEM_KIND", ENUMERATION, "id, name, label"},
	[NSYS_TABLE_LAUNCH_TYPES] = {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", ENUMERATION,
				     "id, name, label"},
	[NSYS_TABLE_EVENT_CLASSES] = {"ENUM_NSYS_EVENT_CLASS", ENUMERATION, "id, name, label"},
	[NSYS_TABLE_EVENT_TYPES] = {"ENUM_NSYS_EVENT_TYPE", ENUMERATION, "id, name, label"},
};
